import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { announce } from "./announce.tsx";
import { ApiError, UNREACHABLE } from "./api.ts";
import { loadFreshDocument } from "./fresh-document.ts";
import { GuestLayout } from "./layout/guest-layout.tsx";
import { MainLayout } from "./layout/main-layout.tsx";
import { NoAccountPage } from "./pages/no-account-page.tsx";
import { NotFoundPage } from "./pages/not-found-page.tsx";
import { matchRoute, safePath } from "./paths.ts";
import { checkReach, onBack } from "./reach.ts";
import { navigate, type PageProps, type Route, useLocation } from "./router.tsx";
import { ROUTES } from "./routes.ts";
import { type Session, useSession } from "./session.tsx";
import { Skeleton } from "./ui/display.tsx";
import { LoadFault } from "./ui/notice.tsx";

/** The page of the address, for those who may see it, in its layout. */
export function App() {
  const session = useSession();
  const { path, search } = useLocation();
  const match = matchRoute(ROUTES, path);
  const elsewhere = match && redirect(match.route, session, path + search);
  useEffect(() => {
    if (elsewhere !== undefined) navigate(elsewhere, { replace: true });
  }, [elsewhere]);
  if (elsewhere !== undefined) return null;

  const Layout = session.me === undefined ? GuestLayout : MainLayout;
  const hidden = match?.route.access === "operator" && session.me?.operator !== true;
  if (match === undefined || hidden) {
    return (
      <Layout>
        <NotFoundPage />
      </Layout>
    );
  }
  if (match.route.access === "account" && session.account === undefined) {
    return (
      <Layout>
        <NoAccountPage />
      </Layout>
    );
  }
  return (
    <Layout>
      <PageOf key={pageKey(match.route, path, session)} {...match} />
    </Layout>
  );
}

/** Another account's page begins anew: nothing of the one before may stay in its state. */
function pageKey({ access }: Route, path: string, { account }: Session): string {
  return access === "account" ? `${path} ${account?.id}` : path;
}

/** Where a person is sent instead: to sign in, or on from signing in. */
function redirect(route: Route, { me }: Session, here: string): string | undefined {
  if (route.access === "guest") {
    const next = new URLSearchParams(location.search).get("next");
    return me === undefined ? undefined : safePath(next, location.origin);
  }
  if (route.access === "public" || me !== undefined) return undefined;
  return here === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(here)}`;
}

const MISSING = new ApiError({
  status: 0,
  code: "missing",
  message: "This page did not load. Check your connection, then try again.",
});

const AWAY = new ApiError({
  status: 0,
  code: UNREACHABLE,
  message: "This page did not load. It will load once the dashboard is back.",
});

type Loaded = { readonly Page?: ComponentType<PageProps>; readonly error?: ApiError };

const loaded = new Map<Route, ComponentType<PageProps>>();
let opened = 0;

function PageOf({ route, params }: { readonly route: Route } & PageProps) {
  const [{ Page, error }, setLoaded] = useState<Loaded>(() => {
    const Page = loaded.get(route);
    return Page === undefined ? {} : { Page };
  });
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    document.title = `${route.title} · Tollgate`;
    route.page().then(
      (Page) => {
        loaded.set(route, Page);
        setLoaded({ Page });
      },
      async () => {
        // A document that is loaded while nobody answers would be the browser's own page of a fault.
        if (!(await checkReach())) setLoaded({ error: AWAY });
        else if (!loadFreshDocument()) setLoaded({ error: MISSING });
      },
    );
  }, [route]);
  // Browsers keep it in mind that a module did not come.
  useEffect(() => (error === AWAY ? onBack(() => location.reload()) : undefined), [error]);
  useEffect(() => {
    if (Page === undefined) return;
    opened += 1;
    // The document's first page is announced by the browser itself.
    if (opened === 1) return;
    announce(route.title);
    window.scrollTo(0, 0);
    frame.current?.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
  }, [Page, route]);
  if (error !== undefined) return <LoadFault error={error} retry={() => location.reload()} />;
  return (
    <div class="page" ref={frame}>
      {Page === undefined ? <Skeleton lines={4} /> : <Page params={params} />}
    </div>
  );
}

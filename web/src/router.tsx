import type { ComponentChildren, ComponentType, TargetedMouseEvent } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";

/** What a page gets: the values of its path's `:names`. */
export type PageProps = { readonly params: Readonly<Record<string, string>> };

/** A page as one entry of data. */
export type Route = {
  /** `/accounts/:id`; a name takes one segment. */
  readonly path: string;
  /** The document's title and what is announced when the page is opened. */
  readonly title: string;
  /**
   * `public`: with or without a session; `guest`: only without one; `account`: for a person who
   * belongs to an account.
   */
  readonly access: "public" | "guest" | "user" | "account" | "operator";
  readonly page: () => Promise<ComponentType<PageProps>>;
};

const CHANGE = "tollgate:navigate";

/** Opens a path of this site, with its query. */
export function navigate(to: string, { replace = false }: { replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  window.dispatchEvent(new Event(CHANGE));
}

/** The address now, followed. */
export function useLocation(): { readonly path: string; readonly search: string } {
  const [place, setPlace] = useState(readPlace);
  useEffect(() => {
    const look = () => setPlace(readPlace());
    window.addEventListener("popstate", look);
    window.addEventListener(CHANGE, look);
    return () => {
      window.removeEventListener("popstate", look);
      window.removeEventListener(CHANGE, look);
    };
  }, []);
  return place;
}

function readPlace() {
  return { path: location.pathname, search: location.search };
}

/** A value of the address's query, so that a filter can be linked to and survives a reload. */
export function useSearchParam(name: string, fallback = ""): [string, (value: string) => void] {
  const { search } = useLocation();
  const value = new URLSearchParams(search).get(name) ?? fallback;
  const set = useCallback(
    (next: string) => {
      const query = new URLSearchParams(location.search);
      if (next === fallback) query.delete(name);
      else query.set(name, next);
      const text = query.toString();
      navigate(text === "" ? location.pathname : `${location.pathname}?${text}`, { replace: true });
    },
    [name, fallback],
  );
  return [value, set];
}

type LinkProps = {
  readonly to: string;
  readonly class?: string;
  readonly current?: boolean;
  readonly children: ComponentChildren;
};

/** A link inside the dashboard: without loading the document again. */
export function Link({ to, current = false, children, class: name }: LinkProps) {
  const follow = (event: TargetedMouseEvent<HTMLAnchorElement>) => {
    // Other buttons and keys open tabs and windows, which the browser does itself.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
      return;
    }
    event.preventDefault();
    navigate(to);
  };
  return (
    <a href={to} class={name} aria-current={current ? "page" : undefined} onClick={follow}>
      {children}
    </a>
  );
}

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Link, useLocation } from "../router.tsx";
import { useSession } from "../session.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Notice } from "../ui/notice.tsx";
import { AccountSwitcher } from "./account-switcher.tsx";
import { Logo } from "./logo.tsx";
import { Navigation } from "./navigation.tsx";
import { SignOut } from "./sign-out.tsx";
import { SkipLink } from "./skip-link.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";

/** Navigation at the side, or behind a button on a phone, and the page. */
export function MainLayout({ children }: { readonly children: ComponentChildren }) {
  const { me, account } = useSession();
  const { path } = useLocation();
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  useEffect(() => {
    if (!open) return;
    const close = (event: KeyboardEvent) => {
      if (event.key === "Escape") setOpen(false);
    };
    window.addEventListener("keydown", close);
    return () => window.removeEventListener("keydown", close);
  }, [open]);
  return (
    <div class="shell">
      <SkipLink />
      <header class="side">
        <div class="side-head">
          <Link to="/" class="brand">
            <Logo />
            Tollgate
          </Link>
          <div class="side-tools">
            <ThemeSwitch />
            <span class="narrow-only">
              <Button
                kind="quiet"
                icon={open ? "close" : "menu"}
                label={open ? "Close the menu" : "Open the menu"}
                expanded={open}
                controls="menu"
                onClick={() => setOpen(!open)}
              />
            </span>
          </div>
        </div>
        <div id="menu" class={open ? "side-menu side-menu-open" : "side-menu"}>
          <AccountSwitcher />
          <Navigation path={path} operator={me?.operator ?? false} />
          <div class="side-foot">
            <p class="side-person" title={me?.user.email}>
              {me?.user.email}
            </p>
            <a href="/docs/" class="nav-link" target="_blank" rel="noreferrer">
              <Icon name="external" />
              Documentation
            </a>
            <Link to="/settings" class="nav-link" current={path === "/settings"}>
              <Icon name="settings" />
              Settings
            </Link>
            <SignOut />
          </div>
        </div>
      </header>
      <main id="main" class="content" tabIndex={-1}>
        {account?.suspended && (
          <Notice tone="danger" title="This account is suspended">
            Its keys are refused with HTTP 403. Ask the operator of this gateway to resume it.
          </Notice>
        )}
        {children}
      </main>
    </div>
  );
}

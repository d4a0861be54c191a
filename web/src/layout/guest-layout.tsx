import type { ComponentChildren } from "preact";
import { Link } from "../router.tsx";
import { Logo } from "./logo.tsx";
import { SkipLink } from "./skip-link.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";

/** One narrow column: for those who are not signed in. */
export function GuestLayout({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="guest">
      <SkipLink />
      <header class="guest-head">
        <Link to="/" class="brand">
          <Logo />
          Tollgate
        </Link>
        <ThemeSwitch />
      </header>
      <main id="main" class="guest-main" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

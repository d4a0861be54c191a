import { render } from "preact";
import { Announcer } from "./announce.tsx";
import { App } from "./app.tsx";
import { AwayBar } from "./layout/away-bar.tsx";
import { SessionProvider } from "./session.tsx";
import { startTheme } from "./theme.ts";
import { LoadFault } from "./ui/notice.tsx";

startTheme();

const root = document.getElementById("app");
if (root !== null) {
  render(
    <>
      <SessionProvider
        waiting={<p class="unseen">Loading…</p>}
        failed={(error, retry) => (
          <main class="plain-page">
            <LoadFault error={error} retry={retry} />
          </main>
        )}
      >
        <App />
      </SessionProvider>
      <AwayBar />
      <Announcer />
    </>,
    root,
  );
}

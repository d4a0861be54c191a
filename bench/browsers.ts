/**
 * The people who have a dashboard open, as a process: signs them in, opens and closes their pages as
 * the parent says, and sends what came to the pages.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { endWithParent } from "./child.ts";
import { Dashboard, type Seen, type Session, signIn, sumOf } from "./dashboard.ts";

export type BrowsersCommand = { readonly links: readonly string[] } | { readonly open: boolean };
export type BrowsersAnswer = { readonly seen: Seen } | { readonly fault: string };

/** Pages look once a second; people do not open theirs in the same moment. */
const SPREAD_MS = 1000;

let sessions: Session[] = [];
let dashboards: Dashboard[] = [];

endWithParent();
process.on("message", (command: BrowsersCommand) => {
  run(command).then(
    (seen) => answer({ seen }),
    (error: unknown) => answer({ fault: error instanceof Error ? error.message : String(error) }),
  );
});
process.send?.({ port: 0 });

async function run(command: BrowsersCommand): Promise<Seen> {
  if ("links" in command) {
    sessions = await Promise.all(command.links.map(signIn));
  } else if (command.open) {
    dashboards = sessions.map((session) => new Dashboard(session));
    await Promise.all(dashboards.map(openInTurn));
  } else {
    return sumOf(dashboards.splice(0).map((each) => each.close()));
  }
  return sumOf([]);
}

async function openInTurn(dashboard: Dashboard, at: number): Promise<void> {
  await sleep((at * SPREAD_MS) / sessions.length);
  await dashboard.open();
}

function answer(message: BrowsersAnswer): void {
  process.send?.(message);
}

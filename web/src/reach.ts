import { useEffect, useState } from "preact/hooks";

/** Whether the dashboard's server answers: it restarts with each upgrade, and a proxy before it may lose it. */
type Reach = "here" | "away";

const CHECKED = "/api/config";
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5000;
/** What proxies answer for a server that is away. */
const OF_PROXIES: ReadonlySet<number> = new Set([502, 503, 504]);

let reach: Reach = "here";
const watchers = new Set<(reach: Reach) => void>();

function become(next: Reach): void {
  if (reach === next) return;
  reach = next;
  for (const watcher of [...watchers]) watcher(next);
}

function watch(watcher: (reach: Reach) => void): () => void {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}

/** A request had no answer. It is asked for until there is one. */
export function reportAway(): void {
  if (reach === "away") return;
  become("away");
  void untilBack();
}

/** Whether the server answers: asked where something else than a request of the API has failed. */
export async function checkReach(): Promise<boolean> {
  if (reach === "away") return false;
  if (await answers()) return true;
  reportAway();
  return false;
}

/** Whether an answer with this status comes from something that stands before a server that is away. */
export function isOfProxy(status: number, isOwnForm: boolean): boolean {
  return OF_PROXIES.has(status) && !isOwnForm;
}

async function untilBack(): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (await answers()) return become("here");
  }
}

async function answers(): Promise<boolean> {
  try {
    return (await fetch(CHECKED, { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

/** Runs `listener` each time that the server answers again. */
export function onBack(listener: () => void): () => void {
  return watch((next) => {
    if (next === "here") listener();
  });
}

export function useReach(): Reach {
  const [shown, setShown] = useState(reach);
  useEffect(() => {
    setShown(reach);
    return watch(setShown);
  }, []);
  return shown;
}

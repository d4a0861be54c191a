import { useEffect, useRef } from "preact/hooks";

export type Refresh = {
  /** Something else each time that there is news. */
  readonly news: unknown;
  /** Whether an answer is awaited: a new request would cut it off. */
  readonly busy: boolean;
  readonly reload: () => void;
  /** No more often than this. */
  readonly leastMs: number;
};

/** Without news the window of time moves on all the same. */
const IDLE_MS = 30_000;

/** Loads again on news, soon but not too often, and now and then without. */
export function useRefresh({ news, busy, reload, leastMs }: Refresh): void {
  const isWanted = useRef(false);
  const last = useRef(Date.now());
  const seen = useRef(news);
  if (seen.current !== news) {
    seen.current = news;
    isWanted.current = true;
  }
  useEffect(() => {
    if (busy) return;
    const pause = isWanted.current ? leastMs : IDLE_MS;
    const run = () => {
      isWanted.current = false;
      last.current = Date.now();
      reload();
    };
    const timer = setTimeout(run, Math.max(0, last.current + pause - Date.now()));
    return () => clearTimeout(timer);
  }, [news, busy, reload, leastMs]);
}

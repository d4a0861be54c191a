import { useEffect, useState } from "preact/hooks";
import { apiUrl, type Query } from "./api.ts";
import { checkReach, onBack } from "./reach.ts";

export type LiveState = "connecting" | "live" | "lost";

export type Live<T> = {
  /** The newest event's data; stays while the connection is lost. */
  readonly data: T | undefined;
  readonly state: LiveState;
  /** What the server says is wrong at its side; gone with the next event's data. */
  readonly fault: string | undefined;
};

const NOTHING = { data: undefined, state: "connecting", fault: undefined } as const;

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Server-sent events named `event` of the API's `path` (null: not connected). A lost connection is
 * opened again, after longer and longer pauses, and at once when the browser is online or the server is back again.
 */
export function useLive<T>(path: string | null, event: string, query: Query = {}): Live<T> {
  const [live, setLive] = useState<Live<T>>(NOTHING);
  const url = path === null ? null : apiUrl(path, query);
  useEffect(() => {
    setLive(NOTHING);
    if (url === null) return;
    return follow(url, event, {
      onData: (text) => setLive({ data: JSON.parse(text) as T, state: "live", fault: undefined }),
      onFault: (text) => {
        const { message } = JSON.parse(text) as { readonly message: string };
        setLive((before) => ({ ...before, fault: message }));
      },
      onState: (state) => setLive((before) => ({ ...before, state })),
    });
  }, [url, event]);
  return live;
}

type Listener = {
  readonly onData: (text: string) => void;
  readonly onFault: (text: string) => void;
  readonly onState: (state: LiveState) => void;
};

/** Follows the events until the returned function is called. */
function follow(url: string, event: string, { onData, onFault, onState }: Listener): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pause = FIRST_PAUSE_MS;

  const open = () => {
    clearTimeout(timer);
    source?.close();
    source = new EventSource(url);
    source.addEventListener("open", () => {
      pause = FIRST_PAUSE_MS;
      onState("live");
    });
    source.addEventListener(event, ({ data }: MessageEvent<string>) => onData(data));
    source.addEventListener("fault", ({ data }: MessageEvent<string>) => onFault(data));
    source.addEventListener("error", () => {
      onState("lost");
      void checkReach();
      // The browser opens a broken connection again by itself, but not one that was refused.
      if (source?.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    });
  };
  open();
  window.addEventListener("online", open);
  const stopWatching = onBack(open);
  return () => {
    window.removeEventListener("online", open);
    stopWatching();
    clearTimeout(timer);
    source?.close();
  };
}

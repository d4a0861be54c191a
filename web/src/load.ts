import { useCallback, useEffect, useState } from "preact/hooks";
import { ApiError, api, messageOf, type Query, UNREACHABLE } from "./api.ts";
import { onBack } from "./reach.ts";

/** What a page shows of something that is fetched. */
export type Loaded<T> = {
  /** The newest answer; stays while a newer one is fetched. */
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly loading: boolean;
  readonly reload: () => void;
  /** Puts in place what a change's answer said, without asking again. */
  readonly set: (data: T) => void;
};

type State<T> = Pick<Loaded<T>, "data" | "error" | "loading">;

/** GET of the API's `path` (null: nothing is asked yet), again when path or query change. */
export function useGet<T>(path: string | null, query: Query = {}): Loaded<T> {
  const load = useCallback(
    (signal: AbortSignal) => api.get<T>(path ?? "", { query, signal }),
    [path, JSON.stringify(query)],
  );
  return useLoad(path === null ? null : load);
}

/** The same for any function; `load` has to keep its identity until something else is wanted. */
export function useLoad<T>(load: ((signal: AbortSignal) => Promise<T>) | null): Loaded<T> {
  const [state, setState] = useState<State<T>>({
    data: undefined,
    error: undefined,
    loading: load !== null,
  });
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (load === null) return;
    const aborter = new AbortController();
    setState((before) => ({ ...before, loading: true }));
    load(aborter.signal).then(
      (data) => {
        if (!aborter.signal.aborted) setState({ data, error: undefined, loading: false });
      },
      (error: unknown) => {
        if (aborter.signal.aborted) return;
        setState((before) => ({ ...before, error: asApiError(error), loading: false }));
      },
    );
    return () => aborter.abort();
  }, [load, round]);
  const isAway = state.error?.code === UNREACHABLE;
  useEffect(() => (isAway ? onBack(() => setRound((before) => before + 1)) : undefined), [isAway]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const set = useCallback((data: T) => setState({ data, error: undefined, loading: false }), []);
  return { ...state, reload, set };
}

/** An error of any kind as one that pages show. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError({ status: 0, code: "internal", message: messageOf(error) });
}

export type Page<T> = { readonly items: readonly T[]; readonly next: string | null };

/** A list that the API gives page by page. */
export type Pages<T> = Loaded<Page<T>> & {
  readonly items: readonly T[] | undefined;
  /** Counted from 1. */
  readonly number: number;
  /** Undefined where there is none. */
  readonly next: (() => void) | undefined;
  readonly previous: (() => void) | undefined;
};

/** Pages of `path`; another path or query begins at the first one again. */
export function usePages<T>(path: string | null, query: Query = {}): Pages<T> {
  const list = `${path} ${JSON.stringify(query)}`;
  const [place, setPlace] = useState<{ list: string; before: readonly string[] }>({
    list,
    before: [],
  });
  const before = place.list === list ? place.before : [];
  const loaded = useGet<Page<T>>(path, { ...query, after: before.at(-1) });
  const after = loaded.data?.next ?? null;
  return {
    ...loaded,
    items: loaded.data?.items,
    number: before.length + 1,
    next: after === null ? undefined : () => setPlace({ list, before: [...before, after] }),
    previous:
      before.length === 0 ? undefined : () => setPlace({ list, before: before.slice(0, -1) }),
  };
}

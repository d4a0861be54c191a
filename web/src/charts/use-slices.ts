import { useState } from "preact/hooks";

/** One page of a list that is here as a whole; the props of a `Pager`. */
export type Slice<T> = {
  readonly rows: readonly T[];
  /** Counted from 1. */
  readonly number: number;
  readonly next: (() => void) | undefined;
  readonly previous: (() => void) | undefined;
};

/** A list that got shorter shows its last page rather than none. */
export function useSlices<T>(all: readonly T[], size: number): Slice<T> {
  const [page, setPage] = useState(0);
  const last = Math.max(0, Math.ceil(all.length / size) - 1);
  const at = Math.min(page, last);
  return {
    rows: all.slice(at * size, (at + 1) * size),
    number: at + 1,
    next: at < last ? () => setPage(at + 1) : undefined,
    previous: at > 0 ? () => setPage(at - 1) : undefined,
  };
}

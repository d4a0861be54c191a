import { CommandError } from "../output.ts";

/** Both are part of it. */
export type SlotRange = { readonly first: number; readonly last: number };

/** `432000-432999`, or one slot. @throws CommandError */
export function parseSlots(text: string): SlotRange {
  const [, from = "", to = from] = /^(\d+)(?:-(\d+))?$/.exec(text.trim()) ?? [];
  const [first, last] = [Number(from), Number(to)];
  if (from === "" || !Number.isSafeInteger(first) || !Number.isSafeInteger(last)) {
    throw new CommandError("--slots takes the first and the last slot, such as 432000-432999");
  }
  if (last < first) throw new CommandError(`--slots ends at ${last}, before its first slot`);
  return { first, last };
}

type StretchOptions = {
  readonly size: number;
  /** A ledger's first slot: what lies below is taken from there downwards. */
  readonly around: number | undefined;
};

/**
 * The range in parts of `size` slots at most, in an order in which what is done is always one
 * range with what a ledger had before.
 */
export function* stretches(range: SlotRange, { size, around }: StretchOptions) {
  const { first, last } = range;
  const middle = Math.min(Math.max(around ?? first, first), last + 1);
  for (let end = middle - 1; end >= first; end -= size) {
    yield { first: Math.max(first, end - size + 1), last: end };
  }
  for (let start = middle; start <= last; start += size) {
    yield { first: start, last: Math.min(last, start + size - 1) };
  }
}

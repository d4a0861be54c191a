import type { UnixMs } from "../lib/moments.ts";

/** A filter that a client asks again and again what is new. */
export type StoredFilter = {
  readonly id: string;
  /** Nobody else may ask it. */
  readonly keyId: string;
  readonly network: string;
  /** What it is for. JSON text. */
  readonly criteria: string;
  /** How far its client was told. */
  readonly place: string;
};

export type FoundFilter = StoredFilter & { readonly usedAt: UnixMs };

export type FilterMove = {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Unlike that of any other move, so that a statement which is sent twice counts once. */
  readonly move: string;
};

/** A filter that was not used for so long is none any more. */
export const FILTER_MS = 300_000;

/** The filters of clients, wherever they ask. `now` is Unix milliseconds. */
export type FilterStore = {
  /** False, and nothing written, where the key has `most` of them already. */
  readonly insert: (filter: StoredFilter, most: number, now: UnixMs) => Promise<boolean>;
  readonly find: (id: string, now: UnixMs) => Promise<FoundFilter | undefined>;
  /** What lies between the two places is told by this move alone. False where another one was sooner, or it is gone. */
  readonly move: (move: FilterMove, now: UnixMs) => Promise<boolean>;
  /** False where the key has none of this id. */
  readonly remove: (id: string, keyId: string, now: UnixMs) => Promise<boolean>;
};

import type { SlotRange } from "./ledger-import-slots.ts";

/** Where blocks come from. Its errors are CommandErrors whose texts hold no URL. */
export type BlockSource = {
  /** Undefined where the source does not tell which chain it is of. */
  readonly genesisHash: () => Promise<string | undefined>;
  /** @throws CommandError where it cannot tell of all of these slots */
  readonly requireSlots: (range: SlotRange) => Promise<void>;
  /** The slots of the range that have a block, rising. */
  readonly slotsIn: (range: SlotRange) => Promise<readonly number[]>;
  /** The text of a block as a ledger keeps it; undefined for a slot without one. */
  readonly block: (slot: number) => Promise<string | undefined>;
  readonly close: () => Promise<void>;
};

/** Rejects when the signal comes. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<unknown>;

import type { TextTable } from "../lib/text-table.ts";
import type { BlockIndex } from "./block-index.ts";
import type { Queue } from "./queue.ts";

export type Stored = {
  /**
   * JSON text of a result in the documented shape: what is kept is a binary string (one character
   * per byte) up to 4 KiB, else the bytes. Nobody may change them.
   */
  readonly value: string | Buffer;
  /** The block (or slot) that it belongs to; -1: a constant of the chain. */
  readonly block: number;
};

/** More uses than these tell nothing new. */
const MOST_USES = 3;
export const CLASSES = 24;

type Measures = { readonly bytes: number; readonly credits: number };

type Parts = Stored & {
  readonly key: string;
  /** The key's. */
  readonly hash: number;
  /** Made of its hash and its network. */
  readonly ghost: number;
  readonly table: TextTable<Entry>;
};

/** An answer that is kept: part of a queue, of its block and of its network. */
export class Entry implements Stored {
  readonly value: string | Buffer;
  readonly block: number;
  readonly key: string;
  readonly hash: number;
  readonly ghost: number;
  readonly bytes: number;
  /** Power of two of the bytes that it takes for each credit that it saves: 0 (best) to 23. */
  readonly weightClass: number;
  readonly table: TextTable<Entry>;
  nextInTable: Entry | undefined = undefined;
  /** Since it came, or since it was last spared: 0 to 3. */
  uses = 0;
  /** On the clock of its queue. */
  due = 0;
  queue: Queue | undefined = undefined;
  older: Entry | undefined = undefined;
  newer: Entry | undefined = undefined;
  index: BlockIndex | undefined = undefined;
  previous: Entry | undefined = undefined;
  next: Entry | undefined = undefined;

  constructor(of: Parts, measures: Measures) {
    this.value = of.value;
    this.block = of.block;
    this.key = of.key;
    this.hash = of.hash;
    this.ghost = of.ghost;
    this.table = of.table;
    this.bytes = measures.bytes;
    this.weightClass = weightClass(measures.bytes / Math.max(1, measures.credits));
  }

  used(): void {
    if (this.uses < MOST_USES) this.uses++;
  }
}

function weightClass(bytesPerCredit: number): number {
  return Math.min(CLASSES - 1, 31 - Math.clz32(Math.max(1, bytesPerCredit)));
}

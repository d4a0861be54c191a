import type { NetworkDisk } from "../cache/disk-network.ts";
import type { Stored } from "../cache/entry.ts";
import type { Clock } from "../lib/clock.ts";

/** A block that no reorganisation reaches any more. */
export type FinalBlock = { readonly block: number; readonly hash: string };

export type DiskTierParts = {
  readonly disk: Pick<NetworkDisk, "get" | "set" | "clear" | "witness">;
  readonly clock: Pick<Clock, "monotonic">;
  /** The hash of a block as nodes have it now; undefined where none could tell. */
  readonly hashOf: (block: number, done: (hash: string | undefined) => void) => void;
};

/** The witness is moved up once so many blocks have become final: each time a node is asked. */
const STEP_BLOCKS = 64;
/** Between questions that found nobody who could tell. */
const RETRY_MS = 5000;

/**
 * One network's part of the cache on disk. Only what is final is kept there. After a restart nothing
 * of it is given before a node has shown the block that was final when it was written.
 */
export class DiskTier {
  readonly #parts: DiskTierParts;
  #isProven = false;
  #isAsking = false;
  #askAtMs = Number.NEGATIVE_INFINITY;
  /** A look-up that began in an earlier epoch is of no use any more. */
  #epoch = 0;

  constructor(parts: DiskTierParts) {
    this.#parts = parts;
  }

  /** `named`: the block that is asked for; -1: not known. What cannot be there is not looked for. */
  get(key: string, named: number): Stored | undefined {
    if (!this.#isProven || named > this.#witnessBlock()) return undefined;
    return this.#parts.disk.get(key);
  }

  /** Bytes are copied: those of an answer are used again. */
  set(key: string, { value, block }: Stored): void {
    if (!this.#isProven || block > this.#witnessBlock()) return;
    this.#parts.disk.set(key, {
      value: typeof value === "string" ? value : Buffer.from(value),
      block,
    });
  }

  /** Blocks up to this one are final now. */
  finalized(block: number): void {
    const { disk, clock, hashOf } = this.#parts;
    const wanted = this.#isProven ? block : (disk.witness?.block ?? block);
    const isNews = !this.#isProven || block >= this.#witnessBlock() + STEP_BLOCKS;
    if (this.#isAsking || !isNews || wanted < 0 || clock.monotonic() < this.#askAtMs) return;
    this.#isAsking = true;
    const epoch = this.#epoch;
    hashOf(wanted, (hash) => {
      this.#isAsking = false;
      if (hash === undefined) this.#askAtMs = clock.monotonic() + RETRY_MS;
      else if (epoch === this.#epoch) this.#prove({ block: wanted, hash });
    });
  }

  /** Final after all was not: what was kept of blocks above may be of replaced ones. */
  reorganised(commonAncestor: number): void {
    if (commonAncestor >= this.#witnessBlock()) return;
    this.#epoch += 1;
    this.#isProven = false;
    void this.#parts.disk.clear();
  }

  /** Where it differs from what is on disk, that is of another chain, and goes. */
  #prove(witness: FinalBlock): void {
    this.#parts.disk.witness = witness;
    this.#isProven = true;
  }

  #witnessBlock(): number {
    return this.#parts.disk.witness?.block ?? -1;
  }
}

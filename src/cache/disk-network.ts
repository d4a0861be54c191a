import type { DiskReader } from "./disk-reader.ts";
import {
  type KeyHash,
  KeyPrefix,
  LONGEST_KEY,
  RECORD_OVERHEAD,
  type RecordParts,
} from "./disk-record.ts";
import type { DiskWitness, DiskWitnesses, Generation } from "./disk-witness.ts";
import type { DiskWriter } from "./disk-writer.ts";
import type { Stored } from "./entry.ts";

const NO_BLOCK = Number.NEGATIVE_INFINITY;

/**
 * A network's part. Nothing is served or taken before a witness was set in this run: after a
 * restart the caller reads `witness`, asks the network for that block, and sets the same one again
 * (what is kept is served from then on) or clears. Where there is none, it sets the first.
 */
export class NetworkDisk {
  readonly #network: string;
  readonly #reader: DiskReader;
  readonly #writer: DiskWriter;
  readonly #witnesses: DiskWitnesses;
  readonly #hash: KeyHash = { high: 0, low: 0 };
  #generation: Generation;
  #prefix: KeyPrefix;
  #proven: boolean;
  /** The block of the witness that is on disk. */
  #covered = NO_BLOCK;

  constructor(
    network: string,
    parts: {
      reader: DiskReader;
      writer: DiskWriter;
      witnesses: DiskWitnesses;
      generation: Generation;
    },
  ) {
    this.#network = network;
    this.#reader = parts.reader;
    this.#writer = parts.writer;
    this.#witnesses = parts.witnesses;
    this.#generation = parts.generation;
    this.#prefix = new KeyPrefix(`${network}\n${this.#generation.id}\n`);
    this.#proven = this.#generation.witness === undefined;
  }

  /**
   * The value that was set for the key, to the byte; undefined where it is not there or damaged. Up to 8 KiB
   * a binary string, else bytes of its own. Synchronous: a read of what the system has in memory, at
   * worst of the disk. Never throws.
   */
  get(key: string): Stored | undefined {
    return this.#proven ? this.#reader.get(this.#prefix, key) : undefined;
  }

  /**
   * Kept, in a while and out of the way of calls. Not taken: a block above the witness (which could
   * not prove it), a key that is there, what is too large, what comes while the disk does not work.
   */
  set(key: string, { value, block }: Stored): void {
    const { witness } = this.#generation;
    if (!this.#proven || witness === undefined || block > witness.block) return;
    if (key.length > LONGEST_KEY) return;
    this.#prefix.hash(key, this.#hash);
    const { high, low } = this.#hash;
    const length = value.length + RECORD_OVERHEAD;
    const prefix = this.#prefix.text;
    this.#writer.add({ prefix, key, hash: { high, low }, value, block, length, owner: this });
  }

  /**
   * Nothing set before is ever served again, from this call on, by this process and after a restart.
   * Other processes that run clear for themselves. Resolves when the disk forgot the witness too.
   */
  async clear(): Promise<void> {
    const { epoch } = this.#generation;
    this.#generation = this.#witnesses.newGeneration(epoch + 1);
    this.#prefix = new KeyPrefix(`${this.#network}\n${this.#generation.id}\n`);
    this.#covered = NO_BLOCK;
    this.#proven = true;
    await this.#writer.run(() => this.#witnesses.clear(this.#network, epoch));
  }

  /** A final block that was on the chain when what is kept was written. */
  get witness(): DiskWitness | undefined {
    return this.#generation.witness;
  }

  /**
   * A final block of the network as it is now; what is of blocks up to it may be kept. The first of
   * a run proves what an earlier run left where it is the very same, and else clears. It goes up
   * only: what was kept up to a higher one needs that one as its proof.
   */
  set witness(witness: DiskWitness) {
    const kept = this.#generation.witness;
    if (!this.#proven) {
      this.#proven = true;
      if (kept?.block !== witness.block || kept.hash !== witness.hash) void this.clear();
      else this.#covered = witness.block;
    }
    if (witness.block <= (this.#generation.witness?.block ?? NO_BLOCK)) return;
    this.#generation = { ...this.#generation, witness };
  }

  /**
   * False where it was cleared; else resolves once a witness on disk covers the block. It is there
   * before what needs it, whenever the process or the machine ends.
   */
  cover({ prefix, block }: RecordParts): boolean | Promise<boolean> {
    if (prefix !== this.#prefix.text) return false;
    return block <= this.#covered || this.#writeWitness(prefix);
  }

  async #writeWitness(prefix: string): Promise<boolean> {
    const written = this.#generation;
    await this.#witnesses.write(this.#network, written);
    if (prefix !== this.#prefix.text) return false;
    this.#covered = written.witness?.block ?? NO_BLOCK;
    return true;
  }
}

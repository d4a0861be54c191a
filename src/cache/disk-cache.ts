import { setImmediate as turn } from "node:timers/promises";
import type { SystemTimers } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Logger } from "../telemetry/log.ts";
import { DiskHealth, type DiskStats } from "./disk-health.ts";
import { DiskIndex } from "./disk-index.ts";
import { NetworkDisk } from "./disk-network.ts";
import { DiskReader } from "./disk-reader.ts";
import { DiskSegments, PLACE_BYTES, type Segment } from "./disk-segments.ts";
import { DiskWitnesses, type Generation } from "./disk-witness.ts";
import { DiskWriter } from "./disk-writer.ts";

export type DiskCacheParts = {
  readonly log: Logger;
  readonly timers: SystemTimers;
  readonly random: Random;
};

const MIB = 1024 * 1024;
/** The least bound that is worth a folder, bytes. */
const LEAST_DISK_BYTES = 4 * MIB;
const SWEEP_MS = 5_000;
/** Entries of the index that one turn of the event loop takes in. */
const TURN_ENTRIES = 1_024;

/**
 * The tier on disk: a folder of append-only segments, read with pread and checked by a digest over
 * key, block and value, with an index in memory. LMDB was tried and is not used: it maps its file
 * into memory, and a flipped bit in a page of its tree ends the process with SIGSEGV or SIGBUS. Here
 * damage of any byte, a file cut short, a write that a kill broke off and writers that race can only
 * make an entry unfound.
 *
 * Several processes may use one folder: each writes segments of its own and learns of the others'
 * entries within seconds. The folder may be deleted at any time.
 */
export class DiskCache {
  readonly #segments: DiskSegments;
  readonly #index: DiskIndex;
  readonly #health: DiskHealth;
  readonly #reader: DiskReader;
  readonly #writer: DiskWriter;
  readonly #witnesses: DiskWitnesses;
  readonly #stopSweeping: () => void;
  /** Resolves when what earlier runs left can be found. */
  readonly loaded: Promise<void>;
  #closed = false;

  /**
   * Opens it, or creates it. Returns at once, and never throws: what does not work is logged, and
   * tried again every few seconds. `maxBytes`: of all files, at least `LEAST_DISK_BYTES`; one entry
   * may be 1/64 of it. The index takes up to 1/32 of it in memory, 16 to 43 bytes an entry.
   */
  static open(options: { path: string; maxBytes: number }, parts: DiskCacheParts): DiskCache {
    return new DiskCache(options, parts);
  }

  private constructor(options: { path: string; maxBytes: number }, parts: DiskCacheParts) {
    const { path } = options;
    const maxBytes = Math.max(options.maxBytes, LEAST_DISK_BYTES);
    const segmentBytes = Math.min(Math.floor(maxBytes / 64), 256 * MIB);
    // Each process looks at the others' files whenever it wrote a quarter of a segment.
    const limits = { segmentBytes, mostBytes: maxBytes - 4 * segmentBytes };
    const segments = new DiskSegments(path);
    const index = new DiskIndex({ maxBytes: maxBytes / 32 }, (low) => segments.lives(low));
    const health = new DiskHealth(parts.log);
    this.#segments = segments;
    this.#index = index;
    this.#health = health;
    this.#reader = new DiskReader(limits, { segments, index, health });
    this.#writer = new DiskWriter(limits, { segments, index, health, timers: parts.timers });
    this.#witnesses = new DiskWitnesses(path, parts.random);
    this.loaded = this.sweep();
    this.#stopSweeping = parts.timers.every(SWEEP_MS, () => void this.sweep());
  }

  /** A network's part; one per network and process. */
  open(network: string): NetworkDisk {
    const parts = { reader: this.#reader, writer: this.#writer, witnesses: this.#witnesses };
    return new NetworkDisk(network, { ...parts, generation: this.#generation(network) });
  }

  /** Bytes of all files, including those of other processes, as of a few seconds ago. */
  get bytes(): number {
    return this.#segments.bytes;
  }

  /** Memory of the index. */
  get indexBytes(): number {
    return this.#index.bytes;
  }

  get stats(): Readonly<DiskStats> {
    return this.#health.stats;
  }

  /** Writes what waits; by a timer, and by tests. Never rejects. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /** Looks for what other processes wrote or deleted, and tries a broken disk again. Never rejects. */
  sweep(): Promise<void> {
    return this.#writer.run(async () => {
      if (this.#closed) return;
      await this.#writer.makeRoom();
      for (const segment of this.#segments.all().reverse()) await this.#learn(segment);
      this.#health.retry();
    });
  }

  /** Writes what waits and closes its files; nothing is found after it. Never rejects. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#stopSweeping();
    await this.#writer.flush();
    this.#closed = true;
    this.#writer.leave();
    this.#segments.close();
  }

  #generation(network: string): Generation {
    try {
      return this.#witnesses.read(network);
    } catch (error) {
      this.#health.fault(error);
      return this.#witnesses.newGeneration(0);
    }
  }

  async #learn(segment: Segment): Promise<void> {
    if (segment === this.#writer.own?.segment) return;
    const news = await this.#segments.news(segment);
    const low = segment.number & 0xffff;
    for (let at = 0; at < news.length; at += PLACE_BYTES) {
      const hash = { high: news.readUInt32LE(at), low: news.readUInt32LE(at + 4) };
      const offset = news.readUInt32LE(at + 8);
      const length = news.readUInt32LE(at + 12);
      if (length > 0) this.#index.insert(hash, { segment: low, offset, length }, true);
      if (at % (TURN_ENTRIES * PLACE_BYTES) === 0 && at > 0) await turn();
    }
  }
}

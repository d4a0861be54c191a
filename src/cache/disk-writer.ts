import fs from "node:fs";
import { promisify } from "node:util";
import type { SystemTimers } from "../lib/clock.ts";
import type { DiskHealth } from "./disk-health.ts";
import type { DiskIndex, Place } from "./disk-index.ts";
import { type RecordParts, roomFor, writeRecord } from "./disk-record.ts";
import { type DiskSegments, type OwnSegment, PLACE_BYTES } from "./disk-segments.ts";

/** An entry that waits to be written. */
export type Waiting = RecordParts & {
  /** Bytes of its record. */
  readonly length: number;
  readonly owner: {
    /** Whether it may be written: it was not cleared since, and its proof is on the disk. */
    cover(entry: RecordParts): boolean | Promise<boolean>;
  };
};

/** Bytes that wait at most: what comes faster than the disk takes it is not kept. */
const MOST_WAITING = 16 * 1024 * 1024;
/** Flush at once above this size. */
const PROMPT_BYTES = 1024 * 1024;
const DELAY_MS = 250;
/** The most that is joined in one turn of the event loop. */
const BATCH_BYTES = 256 * 1024;
const BATCH_ENTRIES = 64;
/** Used again for each batch: fresh memory of 300 KB costs more than to fill it. */
const SCRATCH_BYTES = 1024 * 1024;

type Batch = { bytes: Buffer; length: number; readonly entries: Waiting[] };

/** Appends what waits, one batch after another, and nothing else at the same time. */
export class DiskWriter {
  readonly #options: { segmentBytes: number; mostBytes: number };
  readonly #segments: DiskSegments;
  readonly #index: DiskIndex;
  readonly #health: DiskHealth;
  readonly #scratch: Buffer;
  readonly #places = Buffer.allocUnsafeSlow(BATCH_ENTRIES * PLACE_BYTES);
  readonly #place: Place = { segment: 0, offset: 0, length: 0 };
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  readonly #timers: SystemTimers;
  #unwait: (() => void) | undefined;
  #work: Promise<void> = Promise.resolve();
  #own: OwnSegment | undefined;
  #sinceRoom = 0;

  /** `mostBytes`: of all files. */
  constructor(
    options: { segmentBytes: number; mostBytes: number },
    parts: { segments: DiskSegments; index: DiskIndex; health: DiskHealth; timers: SystemTimers },
  ) {
    this.#timers = parts.timers;
    this.#options = options;
    this.#segments = parts.segments;
    this.#index = parts.index;
    this.#health = parts.health;
    this.#scratch = Buffer.allocUnsafeSlow(Math.min(SCRATCH_BYTES, options.segmentBytes));
  }

  get own(): OwnSegment | undefined {
    return this.#own;
  }

  /** Soon, unless it is there, too large, or more than the disk can take. */
  add(entry: Waiting): void {
    if (entry.length > this.#options.segmentBytes) return;
    if (this.#index.find(entry.hash, this.#place)) return;
    const before = this.#waitingBytes;
    if (!this.#health.works || before + entry.length > MOST_WAITING) {
      this.#health.stats.dropped++;
      return;
    }
    this.#waiting.push(entry);
    this.#waitingBytes += entry.length + entry.key.length;
    if (before < PROMPT_BYTES && this.#waitingBytes >= PROMPT_BYTES) void this.flush();
    else this.#unwait ??= this.#timers.after(DELAY_MS, () => void this.flush());
  }

  /** Writes what waits; by its own timer, at the end, and by tests. Never rejects. */
  flush(): Promise<void> {
    this.#unwait?.();
    this.#unwait = undefined;
    return this.run(() => this.#writeAll());
  }

  /** Runs it after all that was begun before, alone. A fault is told to the log; never rejects. */
  run(job: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(job).catch((error: unknown) => {
      this.#health.stats.dropped += this.#take().length;
      this.#health.fault(error);
    });
    return this.#work;
  }

  /** Gives up its segment; the next write begins a new one. */
  leave(): void {
    if (this.#own !== undefined) this.#segments.leave(this.#own);
    this.#own = undefined;
  }

  /** Deletes the oldest where all is too large, other processes' included. Rejects as node:fs does. */
  async makeRoom(): Promise<void> {
    await this.#segments.refresh();
    await this.#segments.evict(this.#options.mostBytes, this.#own?.segment);
    this.#sinceRoom = 0;
  }

  #take(): Waiting[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return waiting;
  }

  async #writeAll(): Promise<void> {
    const waiting = this.#take();
    for (let from = 0; from < waiting.length; ) {
      const batch: Batch = { bytes: this.#scratch, length: 0, entries: [] };
      from = await this.#collect(waiting, from, batch);
      if (batch.length > 0) await this.#append(batch);
    }
  }

  /** Fills the batch; the index of the first entry that comes after it. */
  async #collect(waiting: readonly Waiting[], from: number, batch: Batch): Promise<number> {
    for (let at = from; at < waiting.length; at++) {
      const entry = waiting[at] as Waiting;
      const covered = entry.owner.cover(entry);
      if (!(typeof covered === "boolean" ? covered : await covered)) continue;
      if (this.#index.find(entry.hash, this.#place)) continue;
      const room = roomFor(entry.length, entry.prefix.length + entry.key.length);
      if (batch.length + room > batch.bytes.length) {
        if (batch.length > 0) return at;
        batch.bytes = Buffer.allocUnsafeSlow(room);
      }
      batch.length += writeRecord(batch.bytes.subarray(batch.length), entry);
      batch.entries.push(entry);
      const enough = batch.length >= BATCH_BYTES || batch.entries.length === BATCH_ENTRIES;
      if (enough) return at + 1;
    }
    return waiting.length;
  }

  /**
   * Records first, then their places, then the index: what is found is there. What a fault left
   * behind the ends is written over by the next.
   */
  async #append(batch: Batch): Promise<void> {
    const own = await this.#ownFor(batch.length);
    await write(own.records, batch.bytes.subarray(0, batch.length), own.recordsEnd);
    let offset = own.recordsEnd;
    let at = 0;
    for (const { hash, length } of batch.entries) {
      this.#places.writeUInt32LE(hash.high, at);
      this.#places.writeUInt32LE(hash.low, at + 4);
      this.#places.writeUInt32LE(offset, at + 8);
      this.#places.writeUInt32LE(length, at + 12);
      offset += length;
      at += PLACE_BYTES;
    }
    await write(own.places, this.#places.subarray(0, at), own.placesEnd);
    for (const { hash, length } of batch.entries) {
      const segment = own.segment.number & 0xffff;
      this.#index.insert(hash, { segment, offset: own.recordsEnd, length });
      own.recordsEnd += length;
    }
    own.placesEnd += at;
    own.segment.known = own.placesEnd;
    own.segment.bytes = own.recordsEnd + own.placesEnd;
    this.#sinceRoom += batch.length + at;
    this.#health.wrote(batch.entries.length);
  }

  async #ownFor(bytes: number): Promise<OwnSegment> {
    const { segmentBytes } = this.#options;
    const own = this.#own;
    // Another process, or a person, may have deleted it.
    const gone = own !== undefined && fs.fstatSync(own.records).nlink === 0;
    if (own === undefined || gone || own.recordsEnd + bytes > segmentBytes) {
      this.leave();
      await this.makeRoom();
      this.#own = this.#segments.create();
      return this.#own;
    }
    if (this.#sinceRoom > segmentBytes / 4) await this.makeRoom();
    return own;
  }
}

/** Rejects where the disk takes less than all. */
async function write(file: number, bytes: Buffer, position: number): Promise<void> {
  const { bytesWritten } = await promisify(fs.write)(file, bytes, 0, bytes.length, position);
  if (bytesWritten !== bytes.length) throw Object.assign(new Error("short"), { code: "ENOSPC" });
}

import fs from "node:fs";
import { join } from "node:path";

/** NNNNNNNNNN.records: one record after another. NNNNNNNNNN.places: where each of them lies. */
const NAME = /^(\d{10})\.(records|places)$/;
/** More would only hold file descriptors; a restart begins a new one. */
const MOST_SEGMENTS = 512;
/** One place holds two words of the key's hash, an offset and a length. */
export const PLACE_BYTES = 16;

export type Segment = {
  readonly number: number;
  /** The open file of its records; undefined until one is read. */
  reader: number | undefined;
  /** Both files, as they were last seen. */
  bytes: number;
  /** How much of its places this process knows. */
  known: number;
};

/** The segment that this process appends to, and no other one does. */
export type OwnSegment = {
  readonly segment: Segment;
  readonly records: number;
  readonly places: number;
  recordsEnd: number;
  placesEnd: number;
};

/**
 * The folder's files: numbered segments, each written by the one process that created it and read
 * by all. The oldest are deleted whole. Nothing is mapped into memory, so no damage and no missing
 * byte can end the process: a read gives fewer bytes or throws.
 */
export class DiskSegments {
  readonly #folder: string;
  /** By the low 16 bits of their number. */
  readonly #segments = new Map<number, Segment>();
  #last = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Bytes of all files, as they were last seen. */
  get bytes(): number {
    let bytes = 0;
    for (const segment of this.#segments.values()) bytes += segment.bytes;
    return bytes;
  }

  lives(low: number): boolean {
    return this.#segments.has(low);
  }

  /** Oldest first. */
  all(): Segment[] {
    return [...this.#segments.values()].sort((a, b) => a.number - b.number);
  }

  /** Whether all `length` bytes were there. Throws as node:fs does. */
  read(place: { segment: number; offset: number; length: number }, into: Buffer): boolean {
    const segment = this.#segments.get(place.segment);
    if (segment === undefined) return false;
    segment.reader ??= fs.openSync(this.#path(segment.number, "records"), "r");
    return fs.readSync(segment.reader, into, 0, place.length, place.offset) === place.length;
  }

  /** Looks at the folder: other processes add and delete too. Rejects as node:fs does. */
  async refresh(): Promise<void> {
    await fs.promises.mkdir(this.#folder, { recursive: true });
    const found = new Map<number, number>();
    for (const name of await fs.promises.readdir(this.#folder)) {
      const [, digits] = NAME.exec(name) ?? [];
      if (digits === undefined) continue;
      const size = await sizeOf(join(this.#folder, name));
      found.set(Number(digits), (found.get(Number(digits)) ?? 0) + size);
    }
    for (const segment of this.all()) if (!found.has(segment.number)) this.#forget(segment);
    for (const [number, bytes] of found) {
      const segment = this.#segments.get(number & 0xffff);
      if (segment?.number === number) segment.bytes = bytes;
      else if (segment === undefined) this.#add(number, bytes);
    }
  }

  /** The places written since this was last asked, whole ones; empty: none. */
  async news(segment: Segment): Promise<Buffer> {
    const path = this.#path(segment.number, "places");
    const news = (await sizeOf(path)) - segment.known;
    if (news < PLACE_BYTES) return Buffer.alloc(0);
    const buffer = Buffer.allocUnsafeSlow(news - (news % PLACE_BYTES));
    const file = await fs.promises.open(path, "r");
    try {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, segment.known);
      const whole = bytesRead - (bytesRead % PLACE_BYTES);
      segment.known += whole;
      return buffer.subarray(0, whole);
    } finally {
      await file.close();
    }
  }

  /** A new segment of this process. Throws as node:fs does. */
  create(): OwnSegment {
    fs.mkdirSync(this.#folder, { recursive: true });
    for (;;) {
      const number = this.#next();
      const own = this.#claim(number);
      if (own !== undefined) return own;
      this.#last = number;
    }
  }

  /** Undefined where another process has this number. */
  #claim(number: number): OwnSegment | undefined {
    let records: number;
    try {
      records = fs.openSync(this.#path(number, "records"), "wx");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
      throw error;
    }
    try {
      const places = fs.openSync(this.#path(number, "places"), "w");
      const segment = this.#add(number, 0);
      return { segment, records, places, recordsEnd: 0, placesEnd: 0 };
    } catch (error) {
      fs.closeSync(records);
      fs.rmSync(this.#path(number, "records"), { force: true });
      throw error;
    }
  }

  /** Ends writing to it; what it holds stays readable. */
  leave(own: OwnSegment): void {
    fs.closeSync(own.records);
    fs.closeSync(own.places);
  }

  /** Deletes the oldest but `spared` until all have `bytes` or less, and are not too many. */
  async evict(bytes: number, spared: Segment | undefined): Promise<void> {
    const oldest = this.all().filter((segment) => segment !== spared);
    for (const segment of oldest) {
      if (this.bytes <= bytes && this.#segments.size < MOST_SEGMENTS) return;
      await fs.promises.rm(this.#path(segment.number, "places"), { force: true });
      await fs.promises.rm(this.#path(segment.number, "records"), { force: true });
      this.#forget(segment);
    }
  }

  close(): void {
    for (const segment of this.all()) this.#forget(segment);
  }

  #next(): number {
    const next = this.#last + 1;
    // 0 is the segment of an erased slot.
    return next % 65_536 === 0 ? next + 1 : next;
  }

  #add(number: number, bytes: number): Segment {
    const segment: Segment = { number, reader: undefined, bytes, known: 0 };
    this.#segments.set(number & 0xffff, segment);
    this.#last = Math.max(this.#last, number);
    return segment;
  }

  #forget(segment: Segment): void {
    this.#segments.delete(segment.number & 0xffff);
    if (segment.reader !== undefined) fs.closeSync(segment.reader);
    segment.reader = undefined;
  }

  #path(number: number, kind: "records" | "places"): string {
    return join(this.#folder, `${String(number).padStart(10, "0")}.${kind}`);
  }
}

/** 0 where the file is gone. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await fs.promises.stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}

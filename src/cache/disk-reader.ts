import type { DiskHealth } from "./disk-health.ts";
import type { DiskIndex, Place } from "./disk-index.ts";
import {
  checkRecord,
  type KeyHash,
  type KeyPrefix,
  LONGEST_KEY,
  RECORD_OVERHEAD,
  recordValue,
  roomFor,
} from "./disk-record.ts";
import type { DiskSegments } from "./disk-segments.ts";
import type { Stored } from "./entry.ts";

/** Up to here a value is given as a binary string, which is cheaper than a Buffer of its own. */
const LONGEST_STRING = 8_192;

/** Looks up records: one read of the file and one pass of the digest each. */
export class DiskReader {
  readonly #longest: number;
  readonly #segments: DiskSegments;
  readonly #index: DiskIndex;
  readonly #health: DiskHealth;
  readonly #scratch = Buffer.allocUnsafeSlow(16_384);
  readonly #hash: KeyHash = { high: 0, low: 0 };
  readonly #place: Place = { segment: 0, offset: 0, length: 0 };

  constructor(
    options: { segmentBytes: number },
    parts: { segments: DiskSegments; index: DiskIndex; health: DiskHealth },
  ) {
    this.#longest = options.segmentBytes;
    this.#segments = parts.segments;
    this.#index = parts.index;
    this.#health = parts.health;
  }

  /** The value that was written for the key, to the byte, or undefined. Never throws. */
  get(prefix: KeyPrefix, key: string): Stored | undefined {
    const { stats } = this.#health;
    if (key.length <= LONGEST_KEY) {
      prefix.hash(key, this.#hash);
      if (this.#index.find(this.#hash, this.#place)) {
        const stored = this.#read(prefix.text, key);
        if (stored !== undefined) {
          stats.hits++;
          return stored;
        }
        this.#index.erase(this.#hash);
      }
    }
    stats.misses++;
    return undefined;
  }

  #read(prefix: string, key: string): Stored | undefined {
    const { length } = this.#place;
    // Damage in a segment's places must not make a buffer of any size.
    if (length < RECORD_OVERHEAD || length > this.#longest) return this.#damaged();
    const room = roomFor(length, prefix.length + key.length);
    const view = length - RECORD_OVERHEAD > LONGEST_STRING;
    const own = view || room > this.#scratch.length;
    const buffer = own ? Buffer.allocUnsafeSlow(room) : this.#scratch;
    try {
      if (!this.#segments.read(this.#place, buffer)) return this.#damaged();
    } catch (error) {
      // Where another process deleted the segment it is no fault.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") this.#health.fault(error);
      return undefined;
    }
    const block = checkRecord(buffer, length, { prefix, key, hash: this.#hash });
    if (block === "damaged") return this.#damaged();
    if (block === "another") return undefined;
    return { value: recordValue(buffer, length, view), block };
  }

  #damaged(): undefined {
    this.#health.damaged();
  }
}

import { DiskHealth } from "../../../src/cache/disk-health.ts";
import { DiskIndex, type Place } from "../../../src/cache/disk-index.ts";
import { DiskReader } from "../../../src/cache/disk-reader.ts";
import { KeyPrefix, roomFor, writeRecord } from "../../../src/cache/disk-record.ts";
import { DiskSegments, PLACE_BYTES } from "../../../src/cache/disk-segments.ts";
import type { Logger } from "../../../src/telemetry/log.ts";
import { demandEqual } from "../demand.ts";

const PREFIX = new KeyPrefix("net 1 ");
/** Of each kind: short, by the other digest, and given as bytes. */
const ENTRIES = [1, 300, 7_000, 9_000].map((length, index) => ({
  key: `eth_getBlockByNumber ["0x${index}",false]`,
  value: "0123456789abcdef".repeat(600).slice(0, length),
  block: 1000 + index,
}));
const SEGMENT_BYTES = 64 * 1024;
const SEGMENT = 1;
const QUIET = { warn: () => undefined, info: () => undefined } as unknown as Logger;
const { records: RECORDS, places: PLACES } = written();

/** Changes: of the lengths and offsets above all. */
export const WORDS = [
  "\0\0\0\0",
  "\x01\x0c\0\xff",
  "\x01\x08\0\x01",
  "\x02\xff\0\0",
  "\x03\x10\0\0",
  "\x04\0\0\0",
];

/** Both files of a segment, as they would be without a fault. */
function written(): { readonly records: Buffer; readonly places: Buffer } {
  const records: Buffer[] = [];
  const places: Buffer[] = [];
  let offset = 0;
  for (const { key, value, block } of ENTRIES) {
    const hash = { high: 0, low: 0 };
    PREFIX.hash(key, hash);
    const buffer = Buffer.alloc(roomFor(value.length + 100, PREFIX.text.length + key.length));
    const length = writeRecord(buffer, { prefix: PREFIX.text, key, hash, value, block });
    records.push(buffer.subarray(0, length));
    places.push(Buffer.from(Uint32Array.of(hash.high, hash.low, offset, length).buffer));
    offset += length;
  }
  return { records: Buffer.concat(records), places: Buffer.concat(places) };
}

/** The files, read from memory. */
class FilesInMemory extends DiskSegments {
  readonly #records: Buffer;

  constructor(records: Buffer) {
    super("");
    this.#records = records;
  }

  override lives(low: number): boolean {
    return low === SEGMENT;
  }

  override read({ offset, length }: Place, into: Buffer): boolean {
    return this.#records.copy(into, 0, offset, offset + length) === length;
  }
}

/**
 * Whatever happened to the bytes of both files, an entry is what was written for its key, or is not
 * found. Four bytes of the data are one change: what of which file, where, and to what.
 */
export function fuzz(data: Buffer): void {
  let records = Buffer.from(RECORDS);
  let places = Buffer.from(PLACES);
  for (let at = 0; at + 4 <= data.length; at += 4) {
    const where = data.readUInt16LE(at + 1);
    const what = data[at + 3] ?? 0;
    const change = (data[at] ?? 0) % 5;
    if (change === 0 && where < records.length) records[where] = what;
    else if (change === 1 && where < places.length) places[where] = what;
    else if (change === 2) records = records.subarray(0, where);
    else if (change === 3) places = places.subarray(0, where);
    else if (change === 4)
      places = Buffer.concat([places, data.subarray(at + 1, at + 1 + PLACE_BYTES)]);
  }
  const segments = new FilesInMemory(records);
  const index = new DiskIndex({ maxBytes: 256 * 1024 }, (low) => segments.lives(low));
  for (let at = 0; at + PLACE_BYTES <= places.length; at += PLACE_BYTES) {
    const [high, low, offset, length] = [0, 4, 8, 12].map((part) => places.readUInt32LE(at + part));
    if (length === 0) continue;
    index.insert({ high, low } as { high: number; low: number }, {
      segment: SEGMENT,
      ...({ offset, length } as { offset: number; length: number }),
    });
  }
  const health = new DiskHealth(QUIET);
  const reader = new DiskReader({ segmentBytes: SEGMENT_BYTES }, { segments, index, health });
  let found = 0;
  for (const { key, value, block } of ENTRIES) {
    const stored = reader.get(PREFIX, key);
    if (stored === undefined) continue;
    found += 1;
    demandEqual(stored.block, block, "the block of an entry");
    const text = typeof stored.value === "string" ? stored.value : stored.value.toString("latin1");
    demandEqual(text, value, "an entry");
  }
  if (data.length < 4) demandEqual(found, ENTRIES.length, "the entries of files without a fault");
}

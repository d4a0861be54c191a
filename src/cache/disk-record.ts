import { createCipheriv, createSecretKey, hash } from "node:crypto";

/**
 * A record on disk, little-endian: magic, two words of the key's hash, key length (characters),
 * value length (4 bytes each), block (8, floating point), the value, and 16 bytes of digest over
 * all before it and the whole key (UTF-16: exact for every string). The key itself is not stored.
 */
const MAGIC = 0x31_64_67_74;
const HEADER_BYTES = 28;
const DIGEST_BYTES = 16;

/** The bytes of a record beside its value. */
export const RECORD_OVERHEAD = HEADER_BYTES + DIGEST_BYTES;

/** Longer keys (characters) are not kept on disk. */
export const LONGEST_KEY = 65_536;

/** Below this the call of GMAC itself costs more than all of SHA-1. */
const GMAC_FROM_BYTES = 6_144;
const GMAC_KEY = createSecretKey(Buffer.alloc(16, 0x74));
const GMAC_NONCE = Buffer.alloc(12, 0x67);

/** A key's 64 bits of hash; mutable, so that a look-up allocates nothing. */
export type KeyHash = { high: number; low: number };

/** The beginning of every key of a network: its text, and the hash's state behind it. */
export class KeyPrefix {
  readonly text: string;
  readonly #high: number;
  readonly #low: number;

  constructor(text: string) {
    this.text = text;
    let high = 0xdeadbeef;
    let low = 0x41c6ce57;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      high = Math.imul(high ^ code, 2654435761);
      low = Math.imul(low ^ code, 1597334677);
    }
    this.#high = high;
    this.#low = low;
  }

  /** cyrb53's two words; it only finds the place, the digest says whether it is the right one. */
  hash(key: string, into: KeyHash): void {
    let high = this.#high;
    let low = this.#low;
    for (let at = 0; at < key.length; at++) {
      const code = key.charCodeAt(at);
      high = Math.imul(high ^ code, 2654435761);
      low = Math.imul(low ^ code, 1597334677);
    }
    into.high =
      (Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)) >>>
      0;
    into.low =
      (Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)) >>>
      0;
  }
}

/**
 * 16 bytes as a binary string: SHA-1 cut short, or GMAC where that is up to nine times as fast. The GMAC
 * key is no secret: the digest is against damage, not against whoever may write to the folder.
 */
function digestOf(bytes: Buffer): string {
  if (bytes.length < GMAC_FROM_BYTES) return hash("sha1", bytes, "binary").slice(0, DIGEST_BYTES);
  const cipher = createCipheriv("aes-128-gcm", GMAC_KEY, GMAC_NONCE);
  cipher.setAAD(bytes);
  cipher.final();
  return cipher.getAuthTag().toString("latin1");
}

/** Bytes that a buffer needs for a record of `length` and, while it is checked, its key. */
export function roomFor(length: number, keyCharacters: number): number {
  return length - DIGEST_BYTES + Math.max(DIGEST_BYTES, keyCharacters * 2);
}

/** Writes the key over the digest's place, so that one pass covers both. */
function digestWithKey(buffer: Buffer, end: number, of: { prefix: string; key: string }): string {
  let to = end;
  to += buffer.write(of.prefix, to, "utf16le");
  to += buffer.write(of.key, to, "utf16le");
  return digestOf(buffer.subarray(0, to));
}

export type RecordParts = {
  readonly prefix: string;
  readonly key: string;
  readonly hash: Readonly<KeyHash>;
  /** A binary string, or bytes. */
  readonly value: string | Buffer;
  readonly block: number;
};

/** Writes the record to the start of `buffer`, which has `roomFor` it and its key; its length. */
export function writeRecord(buffer: Buffer, parts: RecordParts): number {
  const { key, value } = parts;
  buffer.writeUInt32LE(MAGIC, 0);
  buffer.writeUInt32LE(parts.hash.high, 4);
  buffer.writeUInt32LE(parts.hash.low, 8);
  buffer.writeUInt32LE(key.length, 12);
  buffer.writeUInt32LE(value.length, 16);
  buffer.writeDoubleLE(parts.block, 20);
  if (typeof value === "string") buffer.write(value, HEADER_BYTES, "latin1");
  else value.copy(buffer, HEADER_BYTES);
  const end = HEADER_BYTES + value.length;
  buffer.write(digestWithKey(buffer, end, parts), end, "latin1");
  return end + DIGEST_BYTES;
}

/**
 * The block of the record at the start of `buffer`, where every byte of it is what was written for
 * this key; "another" where it is another key's, "damaged" where it is nobody's. The digest's place
 * and the bytes behind it are overwritten.
 */
export function checkRecord(
  buffer: Buffer,
  length: number,
  expected: Omit<RecordParts, "value" | "block">,
): number | "another" | "damaged" {
  const { key, hash: of } = expected;
  const end = length - DIGEST_BYTES;
  if (buffer.readUInt32LE(0) !== MAGIC) return "damaged";
  const sameHash = buffer.readUInt32LE(4) === of.high && buffer.readUInt32LE(8) === of.low;
  if (!sameHash || buffer.readUInt32LE(12) !== key.length) return "another";
  if (buffer.readUInt32LE(16) !== end - HEADER_BYTES) return "damaged";
  const digest = buffer.toString("latin1", end, length);
  if (digestWithKey(buffer, end, expected) !== digest) return "damaged";
  return buffer.readDoubleLE(20);
}

/** The value of a checked record: a binary string of its own, or a view where `view`. */
export function recordValue(buffer: Buffer, length: number, view: boolean): string | Buffer {
  const end = length - DIGEST_BYTES;
  return view ? buffer.subarray(HEADER_BYTES, end) : buffer.toString("latin1", HEADER_BYTES, end);
}

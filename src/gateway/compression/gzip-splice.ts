import { crc32 } from "node:zlib";
import type { Piece } from "../../lib/bytes.ts";

/** Bytes in the form in which they can stand in the middle of any gzip stream. */
export type Deflated = {
  /** Deflate blocks that end at a whole byte, none of them the stream's last (Z_SYNC_FLUSH). */
  readonly bytes: Buffer;
  /** The plain length, its CRC-32, and how that length moves another CRC. */
  readonly sizeBytes: number;
  readonly crc: number;
  readonly shift: number;
};

/** The most bytes of one stored block (RFC 1951, 3.2.4). */
export const MOST_STORED_BYTES = 0xffff;

/** RFC 1952: deflate, no name, no time, an unknown system. */
const MEMBER_HEAD = "\x1f\x8b\x08\0\0\0\0\0\0\xff";

/** The reflected polynomial of CRC-32, as zlib has it. */
const POLYNOMIAL = 0xedb88320;
/** x to the power of 0 and 1: the highest bit is the lowest power. */
const ONE = 0x80000000;
const X = 0x40000000;

/** x to the power of 2 to the power of the place. */
const POWERS = [X];
while (POWERS.length < 32) {
  const last = POWERS.at(-1) ?? X;
  POWERS.push(multiply(last, last));
}

/** `bytes` stand for `plain`. */
export function toDeflated(bytes: Buffer, plain: Buffer): Deflated {
  const sizeBytes = plain.length;
  return { bytes, sizeBytes, crc: crc32(plain), shift: shiftOver(sizeBytes) };
}

/**
 * A gzip stream of one member that stands for `head`, what was deflated, and `tail`: nothing but the
 * two is looked at. They are binary strings of at most MOST_STORED_BYTES each.
 */
export function splice(head: string, deflated: Deflated, tail: string): readonly Piece[] {
  const upToTail = multiply(deflated.shift, checksum(head, 0)) ^ deflated.crc;
  const crc = checksum(tail, upToTail >>> 0);
  const sizeBytes = head.length + deflated.sizeBytes + tail.length;
  return [
    MEMBER_HEAD + stored(head, "\x00"),
    deflated.bytes,
    stored(tail, "\x01") +
      low16(crc) +
      low16(crc >>> 16) +
      low16(sizeBytes) +
      low16(sizeBytes >>> 16),
  ];
}

/** The factor for the CRC-32 of bytes that `sizeBytes` others follow (zlib's crc32_combine_gen). */
export function shiftOver(sizeBytes: number): number {
  let shift = ONE;
  // A byte is 8 bits: powers are counted from 2 to the power of 3.
  for (let place = 3, left = sizeBytes; left > 0; place++, left = Math.floor(left / 2)) {
    if (left % 2 === 1) shift = multiply(POWERS[place % 32] ?? X, shift);
  }
  return shift;
}

/** Product of two polynomials modulo CRC-32's own (zlib's multmodp). */
export function multiply(left: number, right: number): number {
  let product = 0;
  let factor = right;
  for (let mask = ONE; mask !== 0; mask >>>= 1) {
    if ((left & mask) !== 0) product ^= factor;
    factor = (factor & 1) === 1 ? (factor >>> 1) ^ POLYNOMIAL : factor >>> 1;
  }
  return product >>> 0;
}

function checksum(binary: string, before: number): number {
  return crc32(Buffer.from(binary, "latin1"), before);
}

/** A stored block; its first byte says whether it is the stream's last. */
function stored(binary: string, first: "\x00" | "\x01"): string {
  return first + low16(binary.length) + low16(~binary.length) + binary;
}

/** The lower 16 bits as two bytes, the lower one first. */
function low16(value: number): string {
  return String.fromCharCode(value & 0xff, (value >>> 8) & 0xff);
}

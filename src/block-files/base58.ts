import { base58 } from "@scure/base";

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** 58^4: with 24 bits beside it every step stays below 2^53. */
const LIMB = 58 ** 4;
const KEY_BYTES = 32;
/** A block of a busy network names about as many addresses; together they take a few megabytes. */
const CACHED_KEYS = 20_000;

const QUADS = Array.from({ length: 58 * 58 }, (_, pair) => {
  const high = ALPHABET[Math.floor(pair / 58)] ?? "";
  return `${high}${ALPHABET[pair % 58]}`;
});

/**
 * Bytes as base58 text. The package's own encoder goes digit by digit, which takes seconds for the
 * transactions of one large block.
 */
export function encodeBase58(bytes: Uint8Array): string {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros += 1;
  const limbs = toLimbs(bytes, zeros);
  let text = "";
  for (const limb of limbs) text = `${quad(limb)}${text}`;
  return "1".repeat(zeros) + text.slice(leadingOnes(text));
}

/** @throws where the text is no base58 */
export function decodeBase58(text: string): Uint8Array {
  return base58.decode(text);
}

const keys = new Map<string, string>();

/** The base58 text of an address of 32 bytes: the same few come again and again. */
export function encodeKey(bytes: Uint8Array): string {
  if (bytes.length !== KEY_BYTES) return encodeBase58(bytes);
  const key = Buffer.from(bytes.buffer, bytes.byteOffset, KEY_BYTES).toString("latin1");
  const known = keys.get(key);
  if (known !== undefined) return known;
  const text = encodeBase58(bytes);
  if (keys.size >= CACHED_KEYS) keys.clear();
  keys.set(key, text);
  return text;
}

/** The number that the bytes from `start` on are, in base 58^4, the least limb first. */
function toLimbs(bytes: Uint8Array, start: number): number[] {
  const limbs: number[] = [];
  let at = start;
  while (at < bytes.length) {
    const size = Math.min(3, bytes.length - at);
    let carry = 0;
    for (let index = 0; index < size; index += 1) carry = carry * 256 + (bytes[at + index] ?? 0);
    multiplyAdd(limbs, 256 ** size, carry);
    at += size;
  }
  return limbs;
}

function multiplyAdd(limbs: number[], factor: number, addend: number): void {
  let carry = addend;
  for (let index = 0; index < limbs.length; index += 1) {
    const value = (limbs[index] ?? 0) * factor + carry;
    carry = Math.floor(value / LIMB);
    limbs[index] = value - carry * LIMB;
  }
  while (carry > 0) {
    limbs.push(carry % LIMB);
    carry = Math.floor(carry / LIMB);
  }
}

const quad = (limb: number): string =>
  `${QUADS[Math.floor(limb / (58 * 58))]}${QUADS[limb % (58 * 58)]}`;

function leadingOnes(text: string): number {
  let ones = 0;
  while (text[ones] === "1") ones += 1;
  return ones;
}

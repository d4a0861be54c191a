/**
 * Longer values are kept as bytes, and shorter ones as text, which takes 200 bytes less. Text lies in
 * the heap of V8, which lets about as much again pile up before it collects what was evicted.
 */
const LONGEST_TEXT = 4 * 1024;
/** For a longer key new memory is taken. */
const scratch = Buffer.allocUnsafeSlow(16 * 1024);
const scratchWords = new Int32Array(scratch.buffer);

/** A binary string, and a hash of it that is never 0: that means "none" to those who keep hashes. */
type OwnKey = { readonly text: string; readonly hash: number };

/** Whether a value of this length is kept as text. */
export function isText(length: number): boolean {
  return length <= LONGEST_TEXT;
}

/**
 * The same value in memory that nobody else uses, and that holds nothing but it: a part of a larger
 * buffer or string, or a joint of several, keeps all of those alive. Undefined for text that is no
 * binary string.
 */
export function ownValue(value: string | Buffer): string | Buffer | undefined {
  if (isText(value.length)) {
    return typeof value === "string" ? readBack(write(value), value) : value.toString("latin1");
  }
  const own = Buffer.allocUnsafeSlow(value.length);
  if (typeof value !== "string") {
    value.copy(own);
    return own;
  }
  own.write(value, "latin1");
  return readBack(own, value) === undefined ? undefined : own;
}

export function ownKey(key: string, seed: number): OwnKey | undefined {
  const bytes = write(key);
  const text = readBack(bytes, key);
  return text === undefined ? undefined : { text, hash: hash(bytes, key.length, seed) };
}

/** Zeros follow up to a whole word, for the hash. */
function write(text: string): Buffer {
  const { length } = text;
  const needed = length + 4 - (length & 3);
  const bytes = needed <= scratch.length ? scratch : Buffer.allocUnsafeSlow(needed);
  bytes.write(text, 0, length, "latin1");
  for (let at = length; at & 3; at++) bytes[at] = 0;
  return bytes;
}

function readBack(bytes: Buffer, text: string): string | undefined {
  const own = bytes.toString("latin1", 0, text.length);
  return own === text ? own : undefined;
}

function hash(bytes: Buffer, length: number, seed: number): number {
  const words = bytes === scratch ? scratchWords : new Int32Array(bytes.buffer);
  let mixed = mix(seed, length);
  for (let at = 0; at < length / 4; at++) mixed = mix(mixed, words[at] ?? 0);
  return mixed === 0 ? 1 : mixed;
}

function mix(sum: number, word: number): number {
  const product = Math.imul(sum ^ word, 0x9e3779b1);
  return product ^ (product >>> 15);
}

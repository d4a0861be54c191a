/** A loop over a longer text takes longer than to write it to where it can be read by the word. */
const SHORT_CHARS = 64;
const WORD_BYTES = 4;
/** A text that is longer than this is written in parts. */
const scratch = Buffer.allocUnsafeSlow(16 * 1024);
const scratchWords = new Int32Array(scratch.buffer);
/**
 * Odd, and near 2^32 divided by the golden ratio: texts that are near each other come far apart. Of
 * 32 bits with a sign: any other number is converted to that anew for each word.
 */
const FACTOR = 0x9e3779b1 | 0;

/**
 * Of 31 bits, so that V8 keeps it as a small integer; never 0. For tables: whoever wants to can make
 * two alike, and of a character beyond Latin-1 in a long text the lower byte counts.
 */
export function textHash(text: string): number {
  const hash = text.length <= SHORT_CHARS ? hashOfShort(text) : hashOfLong(text);
  // Tables look at the lower bits.
  return (hash ^ (hash >>> 16)) & 0x7fff_ffff || 1;
}

/** By the character. */
function hashOfShort(text: string): number {
  let hash = FACTOR;
  for (let at = 0; at < text.length; at += 1) hash = mixed(hash, text.charCodeAt(at));
  return hash;
}

/** By the word of four characters. */
function hashOfLong(text: string): number {
  if (text.length <= scratch.length) return goneOn(FACTOR, text);
  let hash = FACTOR;
  for (let from = 0; from < text.length; from += scratch.length) {
    hash = goneOn(hash, text.slice(from, from + scratch.length));
  }
  return hash;
}

function goneOn(before: number, text: string): number {
  const size = scratch.write(text, 0, text.length, "latin1");
  const whole = size >> 2;
  let hash = before;
  for (let at = 0; at < whole; at += 1) hash = mixed(hash, scratchWords[at] ?? 0);
  for (let at = whole * WORD_BYTES; at < size; at += 1) hash = mixed(hash, scratch[at] ?? 0);
  return hash;
}

function mixed(hash: number, part: number): number {
  const product = Math.imul(hash ^ part, FACTOR);
  return product ^ (product >>> 15);
}

const WORD_BYTES = 4;
/** For a longer text new memory is taken. */
const scratch = Buffer.allocUnsafeSlow(16 * 1024);
const scratchWords = new Int32Array(scratch.buffer);
/** Odd, and near 2^32 divided by the golden ratio: words that are near each other come far apart. */
const FACTOR = 0x9e3779b1;

/**
 * Of 31 bits, so that V8 keeps it as a small integer; never 0. For tables: whoever wants to can make
 * two alike, and of a character beyond Latin-1 the lower byte counts. By the word of four, since to
 * write a text to where it can be read so takes less time than to look at its characters.
 */
export function textHash(text: string): number {
  const { length } = text;
  const isUsual = length <= scratch.length;
  const bytes = isUsual ? scratch : Buffer.allocUnsafeSlow(length);
  const words = isUsual ? scratchWords : new Int32Array(bytes.buffer, 0, length >> 2);
  bytes.write(text, 0, length, "latin1");
  const whole = length >> 2;
  let hash = FACTOR;
  for (let at = 0; at < whole; at += 1) hash = mixed(hash, words[at] ?? 0);
  for (let at = whole * WORD_BYTES; at < length; at += 1) hash = mixed(hash, bytes[at] ?? 0);
  // Tables look at the lower bits.
  return (hash ^ (hash >>> 16)) & 0x7fff_ffff || 1;
}

function mixed(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, FACTOR);
  return product ^ (product >>> 15);
}

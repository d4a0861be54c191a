import { isReadPart, READ_BUFFER, READ_WORDS } from "../wire/bytes/read-buffer.ts";

const BACKSLASH = 0x5c;
const SPACE = 0x20;
const LAST_ASCII = 0x7f;
/** The same in each byte of a word, and each byte's lowest and highest bit. */
const BACKSLASHES = 0x5c5c5c5c;
const SPACES = 0x20202020;
const LOWEST_BITS = 0x01010101;
const HIGHEST_BITS = 0x80808080;
const WORD_BYTES = 4;

/** Bytes are looked at by the word, which has to begin at a multiple of four: a copy does. */
const copiedWords = new Int32Array(16_384);
const COPIED = { words: copiedWords, bytes: Buffer.from(copiedWords.buffer) };
const READ = { words: READ_WORDS, bytes: READ_BUFFER };

type Memory = typeof COPIED | typeof READ;

/**
 * Whether no byte is a control character, a backslash or beyond ASCII, so that every string of a
 * JSON text is what stands between its quotes. A third of what a regular expression takes for a
 * call, an eighth for a batch; what was just read is looked at where it is.
 */
export function isPlainJson(bytes: Buffer): boolean {
  if (isReadPart(bytes)) {
    const start = bytes.byteOffset;
    return isPlain(READ, start, start + bytes.length);
  }
  const room = COPIED.bytes;
  for (let at = 0; at < bytes.length; at += room.length) {
    if (!isPlain(COPIED, 0, bytes.copy(room, 0, at))) return false;
  }
  return true;
}

function isPlain({ words, bytes }: Memory, start: number, end: number): boolean {
  const firstWord = (start + WORD_BYTES - 1) >> 2;
  const lastWord = end >> 2;
  if (firstWord >= lastWord) return arePlain(bytes, start, end);
  let seen = 0;
  for (let place = firstWord; place < lastWord; place += 1) {
    const word = words[place] ?? 0;
    const other = word ^ BACKSLASHES;
    // A byte below the space borrows: its highest bit is set, as that of no ASCII byte above is. So
    // does a byte that is a backslash once the lowest bit is taken off what is left of it.
    seen |= word | (word - SPACES) | ((other - LOWEST_BITS) & ~other);
  }
  if ((seen & HIGHEST_BITS) !== 0) return false;
  return (
    arePlain(bytes, start, firstWord * WORD_BYTES) && arePlain(bytes, lastWord * WORD_BYTES, end)
  );
}

function arePlain(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < SPACE || byte > LAST_ASCII || byte === BACKSLASH) return false;
  }
  return true;
}

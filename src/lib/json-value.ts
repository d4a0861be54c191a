import { isAt } from "./scan-bytes.ts";

/**
 * Where a JSON value ends in bytes. The value is checked on the way: what RFC 8259 allows is accepted,
 * nested up to MAX_NESTING deep, and nothing else. Bytes above ASCII pass within strings; `isUtf8` of
 * node:buffer checks those of a whole body for a fiftieth of the cost. Nothing here recurses.
 */

/** Results of nodes stay far below. */
export const MAX_NESTING = 512;

const [TAB, LINE_FEED, RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20];
const QUOTE = 0x22;
const COMMA = 0x2c;
const DOT = 0x2e;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const LOWER_E = 0x65;
const LOWER_U = 0x75;
const [PLUS, MINUS] = [0x2b, 0x2d];
const [ZERO, NINE] = [0x30, 0x39];
/** The one bit in which the cases of a letter differ. */
const CASE = 0x20;
const LITERALS = ["true", "false", "null"].map((text) => Buffer.from(text));
const ESCAPED = new Set(Buffer.from('"\\/bfnrt'));
const UNICODE_DIGITS = /^[\da-fA-F]{4}$/;

const WORD_BYTES = 4;
const LONG_SPACE_BYTES = 64;
/** Four bytes in each: spaces, the difference of quote and space, the first byte above space, backslashes. */
const SPACES = 0x20202020;
const [TWOS, ABOVE_SPACES, BACKSLASHES] = [0x02020202, 0x21212121, 0x5c5c5c5c];
const [ONES, HIGHS] = [0x01010101, 0x80808080];

/** The closing bracket of each array or object that is open, by its depth. */
const closers = new Uint8Array(MAX_NESTING + 1);

/** To read bytes by the word: one view serves any number of searches in the same bytes. */
export function viewOf(json: Buffer): DataView {
  return new DataView(json.buffer, json.byteOffset, json.length);
}

/** The index after the value that begins at `start`; -1 where none begins there, or it is malformed. */
export function valueEnd(json: Buffer, start: number, view: DataView): number {
  let depth = 0;
  let closer = 0;
  let isKey = false;
  for (let at = start; ; ) {
    const first = json[at] ?? 0;
    if (first === QUOTE) {
      at = stringEnd(json, at, view);
      if (isKey && at > 0) {
        at = afterColon(json, at);
        isKey = false;
        if (at > 0) continue;
      }
    } else if (isKey) return -1;
    else if (first === OPEN_BRACE || first === OPEN_BRACKET) {
      at = skipSpace(json, at + 1);
      // In ASCII either closing bracket stands two places after its opening one.
      if (json[at] === first + 2) at += 1;
      else {
        if (depth === MAX_NESTING) return -1;
        closers[depth] = closer;
        depth += 1;
        closer = first + 2;
        isKey = first === OPEN_BRACE;
        continue;
      }
    } else at = scalarEnd(json, at);
    if (at < 0) return -1;
    for (;;) {
      if (depth === 0) return at;
      at = skipSpace(json, at);
      const mark = json[at];
      at += 1;
      if (mark === COMMA) break;
      if (mark !== closer) return -1;
      depth -= 1;
      closer = closers[depth] ?? 0;
    }
    at = skipSpace(json, at);
    isKey = closer === CLOSE_BRACE;
  }
}

/** The index after the string whose opening quote stands at `start`; -1 where it is malformed. */
export function stringEnd(json: Buffer, start: number, view: DataView): number {
  for (let at = start + 1; ; ) {
    at = plainEnd(view, at, json.length);
    let byte = json[at] ?? 0;
    for (; byte > QUOTE && byte !== BACKSLASH; byte = json[at] ?? 0) at += 1;
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) {
      at = escapeEnd(json, at + 1);
      if (at < 0) return -1;
    } else if (byte < SPACE) return -1;
    else at += 1;
  }
}

/**
 * Where the first word of four bytes begins, from `at` on, that is not all plain: ASCII without quotes,
 * backslashes and control characters. `end` is that of the bytes in the view; the last three may be left.
 */
export function plainEnd(view: DataView, at: number, end: number): number {
  let next = at;
  for (; next + WORD_BYTES <= end; next += WORD_BYTES) {
    const word = view.getInt32(next, true);
    // With one bit turned a quote is at most a space, as control characters are, and no other byte is.
    const low = (word ^ TWOS) - ABOVE_SPACES;
    const backslash = (word ^ BACKSLASHES) - ONES;
    if (((low | backslash | word) & HIGHS) !== 0) break;
  }
  return next;
}

/** The index of the first byte from `at` on that is no white space. */
export function skipSpace(json: Buffer, at: number): number {
  // A read beyond the end makes V8 compile all reads here for that: a fifth of a walk.
  return at < json.length && (json[at] ?? 0) > SPACE ? at : spaceEnd(json, at);
}

function spaceEnd(json: Buffer, at: number): number {
  for (let next = at; next < json.length; next += 1) {
    const byte = json[next] ?? 0;
    if (byte !== SPACE && byte !== LINE_FEED && byte !== RETURN && byte !== TAB) return next;
    // No text is laid out so widely: it may be padded with a megabyte.
    if (next - at === LONG_SPACE_BYTES) next = wordsEnd(viewOf(json), next + 1, SPACES) - 1;
  }
  return Math.max(at, json.length);
}

/** Where the first word begins, from `at` on, that is another one; the last three bytes may be left. */
function wordsEnd(view: DataView, at: number, word: number): number {
  const last = view.byteLength - WORD_BYTES;
  let next = at;
  while (next <= last && view.getInt32(next, true) === word) next += WORD_BYTES;
  return next;
}

/** Where the value of the key begins that ended at `at`. */
function afterColon(json: Buffer, at: number): number {
  const colon = skipSpace(json, at);
  return json[colon] === COLON ? skipSpace(json, colon + 1) : -1;
}

/** The index after what a backslash escapes there. */
function escapeEnd(json: Buffer, at: number): number {
  const byte = json[at] ?? 0;
  if (ESCAPED.has(byte)) return at + 1;
  const isUnicode =
    byte === LOWER_U && UNICODE_DIGITS.test(json.toString("latin1", at + 1, at + 5));
  return isUnicode ? at + 5 : -1;
}

function scalarEnd(json: Buffer, at: number): number {
  const first = json[at] ?? 0;
  if (first <= NINE) return numberEnd(json, at);
  const literal = LITERALS.find((each) => each[0] === first);
  return literal !== undefined && isAt(json, at, literal) ? at + literal.length : -1;
}

function numberEnd(json: Buffer, start: number): number {
  let at = json[start] === MINUS ? start + 1 : start;
  at = json[at] === ZERO ? at + 1 : digitsEnd(json, at);
  if (at > 0 && json[at] === DOT) at = digitsEnd(json, at + 1);
  if (at > 0 && ((json[at] ?? 0) | CASE) === LOWER_E) {
    const sign = json[at + 1];
    at = digitsEnd(json, sign === PLUS || sign === MINUS ? at + 2 : at + 1);
  }
  return at;
}

/** The index after the digits there; -1 where there are none. */
function digitsEnd(json: Buffer, start: number): number {
  let at = start;
  for (; ; at += 1) {
    const byte = json[at] ?? 0;
    if (byte < ZERO || byte > NINE) return at > start ? at : -1;
  }
}

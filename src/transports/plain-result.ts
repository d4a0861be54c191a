import type { Piece } from "../lib/bytes.ts";
import { plainEnd } from "../lib/json-value.ts";
import { isRead, READ_VIEW } from "../wire/bytes/read-buffer.ts";

/** A text of so few bytes costs less than a view, and keeps nothing of the body. */
const TEXT_BYTES = 2048;

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LAST_ASCII = 0x7f;
const CLOSE_BRACE = 0x7d;
const COMMA = 0x2c;
const ZERO = 0x30;
const WORD_BYTES = 4;

const HEAD = fixed('{"jsonrpc":"2.0","id":');
const RESULT = fixed(',"result":"');
const MAX_DIGITS = 16;

/** A body by the word of four bytes: it begins at `begin` of the view. */
export type ViewedBody = {
  readonly bytes: Buffer;
  readonly view: DataView;
  readonly begin: number;
};

export function viewed(bytes: Buffer): ViewedBody {
  if (isRead(bytes)) return { bytes, view: READ_VIEW, begin: bytes.byteOffset };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return { bytes, view, begin: 0 };
}

/** `start` and `end` of the result; the object ends one byte behind it. */
export type PlainResult = { readonly id: number; readonly start: number; readonly end: number };

/**
 * The answer that begins there, in the form of most nodes and calls: the result, last, is a string
 * of ASCII without escapes. Undefined where it has another form.
 */
export function plainResult(body: ViewedBody, at: number): PlainResult | undefined {
  const { bytes } = body;
  if (!holds(body, at, HEAD)) return undefined;
  const idStart = at + HEAD.size;
  let next = idStart;
  let id = 0;
  for (; bytes[next] !== COMMA; next += 1) {
    const digit = (bytes[next] ?? 0) - ZERO;
    if (!(digit >= 0 && digit <= 9) || next - idStart === MAX_DIGITS) return undefined;
    id = id * 10 + digit;
  }
  if (next === idStart || !holds(body, next, RESULT)) return undefined;
  const start = next + RESULT.size - 1;
  const end = stringEnd(body, start);
  return end > 0 && bytes[end] === CLOSE_BRACE ? { id, start, end } : undefined;
}

/** The part of a body that is a plain result: a text where it is short, as it is written then. */
export function plainPiece(body: Buffer, { start, end }: PlainResult): Piece {
  return end - start > TEXT_BYTES ? body.subarray(start, end) : body.toString("latin1", start, end);
}

/** The index after the string whose opening quote stands there; -1 where it is no plain ASCII text. */
function stringEnd({ bytes, view, begin }: ViewedBody, at: number): number {
  for (let end = plainEnd(view, begin + at + 1, begin + bytes.length) - begin; ; end += 1) {
    const byte = bytes[end] ?? 0;
    if (byte === QUOTE) return end + 1;
    if (byte < SPACE || byte === BACKSLASH || byte > LAST_ASCII) return -1;
  }
}

/** A text of at least four characters, and its words; the last two may overlap. */
type Fixed = {
  readonly size: number;
  readonly words: readonly { readonly at: number; readonly word: number }[];
};

function fixed(text: string): Fixed {
  const bytes = Buffer.from(text);
  const last = bytes.length - WORD_BYTES;
  const places = Array.from({ length: Math.ceil(bytes.length / WORD_BYTES) }, (_, number) =>
    Math.min(number * WORD_BYTES, last),
  );
  return { size: bytes.length, words: places.map((at) => ({ at, word: bytes.readInt32LE(at) })) };
}

function holds({ bytes, view, begin }: ViewedBody, at: number, { size, words }: Fixed): boolean {
  if (at + size > bytes.length) return false;
  for (let number = 0; number < words.length; number += 1) {
    const wanted = words[number];
    if (wanted !== undefined && view.getInt32(begin + at + wanted.at, true) !== wanted.word) {
      return false;
    }
  }
  return true;
}

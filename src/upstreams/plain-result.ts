import type { Piece } from "../lib/bytes.ts";

/** A text of so few bytes costs less than a view, and keeps nothing of the body. */
const TEXT_BYTES = 2048;
/** Most strings are shorter; a native search costs more than looking at so few bytes. */
const NEAR_BYTES = 96;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const CLOSE_BRACE = 0x7d;
const COMMA = 0x2c;
const ZERO = 0x30;

const HEAD = Buffer.from('{"jsonrpc":"2.0","id":');
const RESULT = Buffer.from(',"result":"');
const MAX_DIGITS = 16;

/** `start` and `end` of the result; the object ends one byte behind it. */
export type PlainResult = { readonly id: number; readonly start: number; readonly end: number };

/**
 * The answer that begins there, in the form of most nodes and calls: the result, last, is a string
 * without escapes. Undefined where it has another form.
 */
export function plainResult(body: Buffer, at: number): PlainResult | undefined {
  if (!holds(body, at, HEAD)) return undefined;
  const idStart = at + HEAD.length;
  let next = idStart;
  let id = 0;
  for (let byte = body[next]; byte !== COMMA; byte = body[next]) {
    const digit = (byte ?? 0) - ZERO;
    if (!(digit >= 0 && digit <= 9) || next - idStart === MAX_DIGITS) return undefined;
    id = id * 10 + digit;
    next += 1;
  }
  if (next === idStart || !holds(body, next, RESULT)) return undefined;
  const start = next + RESULT.length - 1;
  const end = stringEnd(body, start);
  return end > 0 && body[end] === CLOSE_BRACE ? { id, start, end } : undefined;
}

/** The part of a body that is a plain result: a text where it is short, as it is written then. */
export function plainPiece(body: Buffer, { start, end }: PlainResult): Piece {
  return end - start > TEXT_BYTES ? body.subarray(start, end) : body.toString("latin1", start, end);
}

/** The index after the string whose opening quote stands there; -1 where it may have escapes. */
function stringEnd(json: Buffer, at: number): number {
  const near = Math.min(at + NEAR_BYTES, json.length);
  let quote = at + 1;
  while (quote < near && json[quote] !== QUOTE) quote += 1;
  if (quote === near) quote = json.indexOf(QUOTE, near);
  return quote < 0 || json[quote - 1] === BACKSLASH ? -1 : quote + 1;
}

function holds(body: Buffer, at: number, text: Buffer): boolean {
  for (let place = 0; place < text.length; place += 1) {
    if (body[at + place] !== text[place]) return false;
  }
  return true;
}

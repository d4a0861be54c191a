import { skipSpace, stringEnd, viewOf } from "../lib/json-value.ts";

/**
 * The most tokens that a message may have; a value counts as two of them, a key of an object as one.
 * Reading a value takes a third of a microsecond, with a key in a large object 0.6, and nothing else
 * runs meanwhile.
 */
export const MAX_TOKENS = 65_536;

export type TokenCount = {
  /** Up to the first that are more than MAX_TOKENS: what comes after them is not looked at. */
  readonly tokens: number;
  /** Elements of the outermost array until then; 0 where the text is none. */
  readonly elements: number;
  /** A string is malformed, so that the text is no JSON. */
  readonly isMalformed: boolean;
};

const [COMMA, COLON, QUOTE] = [0x2c, 0x3a, 0x22];
const [OPEN_BRACKET, CLOSE_BRACKET] = [0x5b, 0x5d];
const [OPEN_BRACE, CLOSE_BRACE] = [0x7b, 0x7d];
const SPACE = 0x20;

/** The bytes that end a number or a word. */
const ENDS_WORD = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte <= SPACE || Buffer.from('",:[]{}').includes(byte) ? 1 : 0,
);

/**
 * Counts the tokens of a text without reading their values, which takes a tenth of the time. Where the
 * text is no JSON, the tokens before the fault are counted as `JsonReader` finds them.
 */
export function countTokens(json: Buffer): TokenCount {
  const view = viewOf(json);
  let tokens = 0;
  let depth = 0;
  let commas = 0;
  let at = 0;
  while (at < json.length && tokens <= MAX_TOKENS) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) {
      at = stringEnd(json, at, view);
      if (at < 0) break;
      tokens += 2;
      continue;
    }
    if (byte <= SPACE) {
      const next = skipSpace(json, at);
      if (next === at) break;
      at = next;
      continue;
    }
    at += 1;
    if (byte === COMMA) commas += depth === 1 ? 1 : 0;
    // The string before it was a key.
    else if (byte === COLON) tokens -= 1;
    else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth -= 1;
    else {
      tokens += 2;
      if (byte === OPEN_BRACKET || byte === OPEN_BRACE) depth += 1;
      else while (at < json.length && ENDS_WORD[json[at] ?? 0] === 0) at += 1;
    }
  }
  const isArray = json[skipSpace(json, 0)] === OPEN_BRACKET;
  return { tokens, elements: isArray ? commas + 1 : 0, isMalformed: at < 0 };
}

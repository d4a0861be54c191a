import { skipSpace, stringEnd, valueEnd, viewOf } from "./json-value.ts";

/**
 * Finds the members of JSON objects in bytes (RFC 8259, UTF-8) without decoding their values, so
 * that a result travels as it came. What is walked through is checked; whether it is UTF-8 is not.
 */

/** A value's bytes: `end` is the index after its last. */
export type Span = { readonly start: number; readonly end: number };

/** A member's decoded key, where the key's opening quote stands, and the value's bytes. */
export type Member = {
  readonly key: string;
  readonly keyStart: number;
  readonly valueStart: number;
  readonly valueEnd: number;
};

/** `start` is the opening brace, `end` the index after the closing one; duplicate keys all stand. */
export type ScannedObject = Span & { readonly members: readonly Member[] };

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * The members of the object that begins at `at`, white space before it allowed; what follows the
 * object is the caller's to look at. Undefined where there is no object or it is malformed.
 */
export function scanObject(json: Buffer, at = 0): ScannedObject | undefined {
  const start = skipSpace(json, at);
  if (json[start] !== OPEN_BRACE) return undefined;
  const first = skipSpace(json, start + 1);
  if (json[first] === CLOSE_BRACE) return { start, end: first + 1, members: [] };
  const walk = walkMembers(json, first, json.length);
  return walk?.closed ? { start, end: walk.stop, members: walk.members } : undefined;
}

/** The elements of the array that begins at `at`; undefined where there is none or it is malformed. */
export function scanArray(json: Buffer, at: number): readonly Span[] | undefined {
  const open = skipSpace(json, at);
  if (json[open] !== OPEN_BRACKET) return undefined;
  let start = skipSpace(json, open + 1);
  if (json[start] === CLOSE_BRACKET) return [];
  const view = viewOf(json);
  for (const elements: Span[] = []; ; ) {
    const end = valueEnd(json, start, view);
    if (end < 0) return undefined;
    elements.push({ start, end });
    const mark = skipSpace(json, end);
    if (json[mark] === CLOSE_BRACKET) return elements;
    if (json[mark] !== COMMA) return undefined;
    start = skipSpace(json, mark + 1);
  }
}

/**
 * A search for one member of the outermost object, for large texts: it costs a native search and a
 * look at the smaller side of what it finds, not a walk through the whole. The text is one valid
 * JSON value; undefined where it is no object or lacks the key. Of duplicate keys any is found.
 */
export function memberFinder(name: string): (json: Buffer) => Member | undefined {
  const find = tokenFinder(JSON.stringify(name));
  return (json) => {
    const first = skipSpace(json, skipSpace(json, 0) + 1);
    // With escapes, a quote may stand inside a string, and a key be written in other bytes.
    if (json.includes(BACKSLASH)) return lastNamed(json, name);
    const at = find(json);
    if (at < 0) return undefined;
    if (at < json.length / 2) {
      // In an array the walk ends at the first element: no colon follows it.
      const before = walkMembers(json, first, at);
      return before?.stop === at && !before.closed
        ? memberAt(json, at, viewOf(json))
        : lastNamed(json, name);
    }
    // The object that holds the key is the outermost one if nothing but space follows it.
    const after = walkMembers(json, at, json.length);
    if (after?.closed && skipSpace(json, after.stop) === json.length) return after.members[0];
    return lastNamed(json, name);
  };
}

function lastNamed(json: Buffer, name: string): Member | undefined {
  return scanObject(json)?.members.findLast((member) => member.key === name);
}

/** A search for an ASCII text in bytes: where it stands, or -1. */
function tokenFinder(text: string): (json: Buffer) => number {
  const token = Buffer.from(text, "latin1");
  // A capital is rare among hexadecimal digits and lower-case keys: one memchr then settles most.
  const anchor = Math.max(text.search(/[A-Z]/), 0);
  return (json) => indexOfToken(json, token, anchor);
}

/** Where the token stands; `anchor` is the place in it of the byte that is looked for first. */
function indexOfToken(json: Buffer, token: Buffer, anchor: number): number {
  const rare = anchor > 0 ? (token[anchor] ?? QUOTE) : QUOTE;
  if (rare === QUOTE) return json.indexOf(token);
  let from = 0;
  // Some nodes write addresses in mixed case; after a few capitals the plain search is faster.
  for (let tries = 0; tries < 8; tries += 1) {
    const hit = json.indexOf(rare, from);
    if (hit < 0) return -1;
    const start = hit - anchor;
    if (start >= 0 && token.equals(json.subarray(start, start + token.length))) return start;
    from = hit + 1;
  }
  return json.indexOf(token, Math.max(from - anchor, 0));
}

type Walk = {
  readonly members: readonly Member[];
  /** After the closing brace, or the first key at or beyond `until`. */
  readonly stop: number;
  readonly closed: boolean;
};

/** Reads members from the key at `at` on; undefined where the text is malformed. */
function walkMembers(json: Buffer, at: number, until: number): Walk | undefined {
  const members: Member[] = [];
  const view = viewOf(json);
  for (let next = at; next < until; ) {
    const member = memberAt(json, next, view);
    if (member === undefined) return undefined;
    members.push(member);
    const mark = skipSpace(json, member.valueEnd);
    if (json[mark] === CLOSE_BRACE) return { members, stop: mark + 1, closed: true };
    if (json[mark] !== COMMA) return undefined;
    next = skipSpace(json, mark + 1);
    if (next >= until) return { members, stop: next, closed: false };
  }
  return { members, stop: at, closed: false };
}

function memberAt(json: Buffer, keyStart: number, view: DataView): Member | undefined {
  if (json[keyStart] !== QUOTE) return undefined;
  const keyEnd = stringEnd(json, keyStart, view);
  const colon = keyEnd < 0 ? keyEnd : skipSpace(json, keyEnd);
  if (colon < 0 || json[colon] !== COLON) return undefined;
  const key = decodeKey(json, keyStart, keyEnd);
  const valueStart = skipSpace(json, colon + 1);
  const end = valueEnd(json, valueStart, view);
  return end < 0 ? undefined : { key, keyStart, valueStart, valueEnd: end };
}

function decodeKey(json: Buffer, start: number, end: number): string {
  const text = json.toString("utf8", start + 1, end - 1);
  return text.includes("\\") ? JSON.parse(`"${text}"`) : text;
}

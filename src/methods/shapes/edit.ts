import type { Member, ScannedObject } from "../../lib/json-scan.ts";
import { skipSpace } from "../../lib/json-value.ts";

/** The bytes from `start` up to `end` become `text` (ASCII JSON). */
export type Edit = { readonly start: number; readonly end: number; readonly text: string };

const CLOSE_BRACE = 0x7d;
const LETTER_N = 0x6e;
const SHORT_WORD = /^"0x([0-9a-fA-F]{0,63})"$/;

/** The text with its edits made, as pieces; what stays is never copied. Edits do not overlap. */
export function pieces(json: Buffer, edits: readonly Edit[]): readonly Buffer[] {
  if (edits.length === 0) return [json];
  const result: Buffer[] = [];
  let from = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    if (edit.start > from) result.push(json.subarray(from, edit.start));
    result.push(Buffer.from(edit.text, "latin1"));
    from = edit.end;
  }
  if (from < json.length) result.push(json.subarray(from));
  return result;
}

/**
 * The edits that give an object members of these names and JSON texts: values that differ are
 * replaced where they stand, missing members are put first. `object.members` may lack members of
 * other names. Nothing is edited where the values are right already.
 */
export function setMembers(
  json: Buffer,
  object: Pick<ScannedObject, "start" | "members">,
  wanted: ReadonlyMap<string, string>,
): Edit[] {
  const edits: Edit[] = [];
  const missing = new Map(wanted);
  for (const member of object.members) {
    const text = wanted.get(member.key);
    if (text === undefined) continue;
    missing.delete(member.key);
    if (textOf(json, member) !== text) edits.push(replacement(member, text));
  }
  if (missing.size > 0) {
    const added = Array.from(missing, ([name, text]) => `"${name}":${text}`).join(",");
    const at = object.start + 1;
    const empty = json[skipSpace(json, at)] === CLOSE_BRACE;
    edits.push({ start: at, end: at, text: empty ? added : `${added},` });
  }
  return edits;
}

/** The edit that makes `member` have this JSON text for a value. */
export function replacement(member: Member, text: string): Edit {
  return { start: member.valueStart, end: member.valueEnd, text };
}

/** A member's value as JSON text; for short values. */
export function textOf(json: Buffer, member: Member): string {
  return json.toString("latin1", member.valueStart, member.valueEnd);
}

/** Whether a member's value is the JSON text `null`, at no cost for large values. */
export function isNull(json: Buffer, member: Member): boolean {
  return json[member.valueStart] === LETTER_N;
}

/**
 * A hexadecimal JSON string of fewer than 32 bytes left-padded to 32, its digits as they were;
 * undefined where the text is anything else, or has its 32 bytes.
 */
export function paddedWord(text: string): string | undefined {
  const digits = SHORT_WORD.exec(text)?.[1];
  return digits === undefined ? undefined : `"0x${digits.padStart(64, "0")}"`;
}

/** The edits that leave only the kept members, with the commas that they need. */
export function removals(members: readonly Member[], kept: readonly Member[]): Edit[] {
  const [first] = members;
  const last = members.at(-1);
  if (first === undefined || last === undefined) return [];
  const lastKept = kept.at(-1);
  if (lastKept === undefined) return [cut(first.keyStart, last.valueEnd)];
  const isKept = new Set(kept);
  const found: Edit[] = last === lastKept ? [] : [cut(lastKept.valueEnd, last.valueEnd)];
  for (const [index, member] of members.entries()) {
    if (member === lastKept) break;
    const next = members[index + 1];
    if (!isKept.has(member) && next !== undefined) found.push(cut(member.keyStart, next.keyStart));
  }
  return found;
}

const cut = (start: number, end: number): Edit => ({ start, end, text: "" });

import { ownText } from "../lib/bytes.ts";

/** Longer ones are hardly the same again, and a slice of so many characters points to its text. */
const MOST_CHARS = 32;
const SLOTS = 256;

/**
 * Short texts that come again and again (an object's keys, names of methods), as one string each: it
 * is not made anew, and V8 knows its hash when something is looked up by it. Each slot has the last
 * that came, so that nobody can fill them up.
 */
export class RepeatedTexts {
  readonly #slots: string[] = new Array(SLOTS).fill("");

  /** What stands from `start` to `end`, a binary string's part. */
  take(text: string, start: number, end: number): string {
    const length = end - start;
    if (length === 0 || length > MOST_CHARS) return text.slice(start, end);
    const ends = text.charCodeAt(start) * 7 + text.charCodeAt(end - 1) * 31;
    const slot = (ends + length) & (SLOTS - 1);
    const known = this.#slots[slot] as string;
    if (known.length === length && text.startsWith(known, start)) return known;
    const own = ownText(text.slice(start, end));
    this.#slots[slot] = own;
    return own;
  }
}

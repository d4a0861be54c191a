import { Buffer } from "node:buffer";
import { isAt } from "../lib/scan-bytes.ts";

/** Longer ones are hardly the same again, and a slice of so many characters points to its text. */
const MOST_BYTES = 32;
const SLOTS = 256;

type Repeated = { readonly text: string; readonly bytes: Buffer };

/**
 * Short texts that come again and again (an object's keys, names of methods), as one string each: it
 * is not made anew, and V8 knows its hash when something is looked up by it. Each slot has the last
 * that came, so that nobody can fill them up.
 */
export class RepeatedTexts {
  readonly #slots: Repeated[] = new Array(SLOTS).fill({ text: "", bytes: Buffer.alloc(0) });

  /** What stands from `start` to `end`, a character for each byte; undefined where that is long. */
  take(bytes: Buffer, start: number, end: number): string | undefined {
    const length = end - start;
    if (length === 0) return "";
    if (length > MOST_BYTES) return undefined;
    const ends = (bytes[start] as number) * 7 + (bytes[end - 1] as number) * 31;
    const slot = (ends + length) & (SLOTS - 1);
    const known = this.#slots[slot] as Repeated;
    if (known.bytes.length === length && isAt(bytes, start, known.bytes)) return known.text;
    const text = bytes.toString("latin1", start, end);
    this.#slots[slot] = { text, bytes: Buffer.from(text, "latin1") };
    return text;
  }
}

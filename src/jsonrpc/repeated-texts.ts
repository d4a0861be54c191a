import { Buffer } from "node:buffer";

/** Longer ones are hardly the same again, and a slice of so many characters points to its text. */
const MOST_BYTES = 32;
const SLOTS = 256;

/**
 * Short texts that come again and again (an object's keys, names of methods), as one string each: it
 * is not made anew, and V8 knows its hash when something is looked up by it. Each slot has the last
 * that came, so that nobody can fill them up.
 */
export class RepeatedTexts {
  readonly #texts: string[] = new Array(SLOTS).fill("");
  /** Theirs, slot by slot; of Node's pool each would keep 64 KiB. */
  readonly #bytes = Buffer.allocUnsafeSlow(SLOTS * MOST_BYTES);

  /** The text from `start` to `end`, a character for each byte; undefined where that is long. */
  take(bytes: Buffer, start: number, end: number): string | undefined {
    const length = end - start;
    if (length === 0) return "";
    if (length > MOST_BYTES) return undefined;
    const ends = (bytes[start] as number) * 7 + (bytes[end - 1] as number) * 31;
    const slot = (ends + length) & (SLOTS - 1);
    const known = this.#texts[slot] as string;
    if (known.length === length && this.#isIn(slot, bytes, start)) return known;
    const text = bytes.toString("latin1", start, end);
    this.#texts[slot] = text;
    bytes.copy(this.#bytes, slot * MOST_BYTES, start, end);
    return text;
  }

  #isIn(slot: number, bytes: Buffer, start: number): boolean {
    const { length } = this.#texts[slot] as string;
    const own = slot * MOST_BYTES;
    for (let at = 0; at < length; at += 1) {
      if (bytes[start + at] !== this.#bytes[own + at]) return false;
    }
    return true;
  }
}

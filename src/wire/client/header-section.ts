/** The most bytes of a head, or of trailers. A node's head has a few hundred. */
const MAX_BYTES = 32 * 1024;
/** Nearly every head ends within so many. */
const USUAL_BYTES = 1024;

const END = "\r\n\r\n";

/** `add`: the section does not end in these bytes. */
export const UNFINISHED = -1;
/** `add`: too long, or with a line that ends otherwise than by CR LF. */
export const MALFORMED = -2;

/** Collects lines up to the empty one (RFC 9112, section 2.1), in whatever pieces they come. */
export class HeaderSection {
  readonly #prefix: string;
  #text: string;

  /** `prefix`: what is taken to stand before the first byte. */
  constructor(prefix = "") {
    this.#prefix = prefix;
    this.#text = prefix;
  }

  /** The prefix and what came so far, a character per byte; once it ended, the empty line too. */
  get text(): string {
    return this.#text;
  }

  reset(): void {
    this.#text = this.#prefix;
  }

  /** Takes from the bytes what belongs to the section: the index behind it, or one of the above. */
  add(bytes: Buffer, from: number, to: number): number {
    const before = this.#text;
    const search = Math.max(before.length - END.length + 1, 0);
    let text = before + bytes.toString("latin1", from, Math.min(to, from + USUAL_BYTES));
    let end = text.indexOf(END, search);
    if (end < 0 && to - from > USUAL_BYTES) {
      text = before + bytes.toString("latin1", from, Math.min(to, from + MAX_BYTES));
      end = text.indexOf(END, search);
    }
    if (end < 0) {
      this.#text = text;
      return text.length >= MAX_BYTES || hasBareLineFeed(text) ? MALFORMED : UNFINISHED;
    }
    const length = end + END.length;
    if (length > MAX_BYTES) return MALFORMED;
    this.#text = text.length === length ? text : text.slice(0, length);
    return from + length - before.length;
  }
}

/** A server that ends lines with LF alone never sends the end that is waited for. */
function hasBareLineFeed(text: string): boolean {
  return /(?:^|[^\r])\n/.test(text);
}

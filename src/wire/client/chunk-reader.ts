import type { BodyBuffer } from "./body-buffer.ts";
import { HeaderSection, MALFORMED, UNFINISHED } from "./header-section.ts";
import { areTrailers } from "./response-head.ts";

/** Sixteen digits say more than any answer has. */
const MAX_SIZE_DIGITS = 16;
/** The most bytes of a chunk's extension, which nobody uses, and the spaces before it. */
const MAX_EXTENSION_BYTES = 1024;

const CR = 0x0d;
const LF = 0x0a;
const TAB = 0x09;
const SPACE = 0x20;
const SEMICOLON = 0x3b;
const DELETE = 0x7f;

type Place =
  | "size"
  | "padding"
  | "extension"
  | "line_feed"
  | "data"
  | "data_cr"
  | "data_lf"
  | "trailers";

/** `read`: the bytes are no chunks. */
export const NO_CHUNKS = -2;
/** `read`: the body would have more bytes than it may. */
export const TOO_MANY = -3;

/** Reads a chunked body (RFC 9112, section 7.1), in whatever pieces it comes. */
export class ChunkReader {
  readonly #trailers = new HeaderSection("\r\n");
  #place: Place = "size";
  #size = 0;
  #digits = 0;
  #extension = 0;

  /** How many bytes of the chunk that is being read are still to come. */
  get left(): number {
    return this.#place === "data" ? this.#size : 0;
  }

  reset(): void {
    this.#trailers.reset();
    this.#place = "size";
    this.#size = 0;
    this.#digits = 0;
    this.#extension = 0;
  }

  /** Counts bytes of the chunk that were put into the body by others. */
  advance(bytes: number): void {
    this.#size -= bytes;
    if (this.#size === 0) this.#place = "data_cr";
  }

  /**
   * Adds data to the body up to `maxBytes`: the index behind the whole body, UNFINISHED where it
   * goes on, or one of the faults above.
   */
  read(
    { bytes, from, to }: { readonly bytes: Buffer; readonly from: number; readonly to: number },
    body: BodyBuffer,
    maxBytes: number,
  ): number {
    for (let at = from; at < to; ) {
      if (this.#place === "data") {
        const end = Math.min(to, at + this.#size);
        body.append(bytes, at, end);
        this.advance(end - at);
        at = end;
      } else if (this.#place === "trailers") {
        return this.#readTrailers(bytes, at, to);
      } else {
        const next = this.#placeAfter(bytes[at] ?? 0);
        if (next === undefined) return NO_CHUNKS;
        this.#place = next;
        at += 1;
        if (next !== "data") continue;
        if (body.size + this.#size > maxBytes) return TOO_MANY;
        if (this.#size === 0) this.#place = "trailers";
        else body.expect(this.#size);
      }
    }
    return UNFINISHED;
  }

  #readTrailers(bytes: Buffer, at: number, to: number): number {
    const end = this.#trailers.add(bytes, at, to);
    if (end === UNFINISHED) return UNFINISHED;
    return end === MALFORMED || !areTrailers(this.#trailers.text) ? NO_CHUNKS : end;
  }

  /** Takes one byte of what stands between the chunks' data; undefined: it may not stand there. */
  #placeAfter(byte: number): Place | undefined {
    switch (this.#place) {
      case "size":
        return this.#placeAfterSize(byte);
      case "padding":
        return this.#placeAfterPadding(byte);
      case "extension":
        this.#extension += 1;
        if (byte === CR) return "line_feed";
        if ((byte < SPACE && byte !== TAB) || byte === DELETE) return undefined;
        return this.#extension <= MAX_EXTENSION_BYTES ? "extension" : undefined;
      case "line_feed":
        this.#digits = 0;
        this.#extension = 0;
        return byte === LF ? "data" : undefined;
      case "data_cr":
        return byte === CR ? "data_lf" : undefined;
      default:
        return byte === LF ? "size" : undefined;
    }
  }

  #placeAfterSize(byte: number): Place | undefined {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      this.#size = this.#size * 16 + digit;
      this.#digits += 1;
      return this.#digits <= MAX_SIZE_DIGITS ? "size" : undefined;
    }
    return this.#digits === 0 ? undefined : this.#placeAfterPadding(byte);
  }

  /** Some servers fill a size up with spaces; a digit behind them could be meant as one more of it. */
  #placeAfterPadding(byte: number): Place | undefined {
    if (byte === CR) return "line_feed";
    if (byte === SEMICOLON) return "extension";
    this.#extension += 1;
    const isPadding = (byte === SPACE || byte === TAB) && this.#extension <= MAX_EXTENSION_BYTES;
    return isPadding ? "padding" : undefined;
  }
}

/** -1 where the byte is none. */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

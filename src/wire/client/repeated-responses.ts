import { MAX_DIGITS, numberAt } from "../../lib/scan-bytes.ts";
import { READ_BUFFER, READ_WORDS } from "../bytes/read-buffer.ts";
import { type PlainResponse, readPlainResponse, usual } from "./plain-response.ts";

const WORD_BYTES = 4;
const [ZERO, NINE] = [0x30, 0x39];

/** The usual heads of one connection's responses, each of which is like the last but for the length. */
export class RepeatedResponses {
  /** By how many digits the length has. */
  readonly #known: (KnownHead | undefined)[] = new Array(MAX_DIGITS + 1).fill(undefined);
  #lengthStart = 0;

  /** The result of `readPlainResponse` for the same bytes. */
  read(bytes: Buffer, size: number): PlainResponse | undefined {
    if (bytes !== READ_BUFFER) return readPlainResponse(bytes, size);
    const again = this.#known[digitsAt(bytes, this.#lengthStart)]?.readAgain(size);
    if (again !== undefined) return again;
    const found = readPlainResponse(bytes, size);
    if (found === undefined) return undefined;
    this.#lengthStart = found.lengthStart;
    this.#known[found.lengthEnd - found.lengthStart] = new KnownHead(found);
    return found;
  }
}

/** A head by the word of four bytes, and which bits of each have to be the same. */
class KnownHead {
  readonly #found: PlainResponse;
  readonly #words: Int32Array;
  readonly #same: Int32Array;

  /** Made of the response that was read last. */
  constructor(found: PlainResponse) {
    const { sizeBytes, lengthStart, lengthEnd } = found;
    const words = Math.ceil(sizeBytes / WORD_BYTES);
    const same = new Uint8Array(words * WORD_BYTES);
    same.fill(0xff, 0, sizeBytes).fill(0, lengthStart, lengthEnd);
    this.#found = found;
    this.#words = READ_WORDS.slice(0, words);
    this.#same = new Int32Array(same.buffer);
  }

  /** Undefined where the `size` bytes that were read last begin with another head. */
  readAgain(size: number): PlainResponse | undefined {
    const { head, sizeBytes, lengthStart, lengthEnd } = this.#found;
    if (size < sizeBytes) return undefined;
    const words = this.#words;
    const same = this.#same;
    for (let at = 0; at < words.length; at += 1) {
      if ((((words[at] ?? 0) ^ (READ_WORDS[at] ?? 0)) & (same[at] ?? 0)) !== 0) return undefined;
    }
    const body = numberAt(READ_BUFFER, lengthStart, lengthEnd);
    if (body < 0) return undefined;
    return { head: usual(body, head.keepAliveSeconds), sizeBytes, lengthStart, lengthEnd };
  }
}

/** How many digits stand there, up to as many as a length may have. */
function digitsAt(bytes: Buffer, start: number): number {
  let end = start;
  while (end - start < MAX_DIGITS && isDigit(bytes[end] ?? 0)) end += 1;
  return end - start;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

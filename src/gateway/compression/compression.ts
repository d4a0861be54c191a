import { type Piece, sizeOf } from "../../lib/bytes.ts";
import type { LargeBuffers } from "../../wire/bytes/large-buffers.ts";
import { type Coding, wantedCodings } from "./accept-encoding.ts";
import { CompressionTurns } from "./compression-turns.ts";
import { COMPRESSORS, type Compressor, type Compressors } from "./compressors.ts";
import { DeflatedResults } from "./deflated-results.ts";
import { type Deflated, MOST_STORED_BYTES, splice, toDeflated } from "./gzip-splice.ts";

/**
 * Smaller answers go as they are: they are about what TCP sends before it hears of the other end
 * (RFC 6928), and to compress 16 KiB takes 0.2 ms of a core, many times what answering took.
 */
export const LEAST_COMPRESSED_BYTES = 16_384;

/** The checksum of a larger result would block the event loop for more than a millisecond. */
const MOST_SPLICED_BYTES = 4 * 1024 * 1024;

/** An answer's bytes in the coding in which they go out. */
export type Encoded = { readonly pieces: readonly Piece[]; readonly coding: Coding | undefined };

/** An answer to one call whose result is one buffer, as kept ones are. */
type Single = { readonly head: string; readonly result: Buffer; readonly tail: string };

/**
 * Large answers, compressed where the client asks for it. Of a result that comes again the deflated
 * form is kept, and each client's own answer is put around it: that costs next to nothing.
 */
export class Compression {
  readonly #buffers: LargeBuffers;
  readonly #compressors: Compressors;
  readonly #turns = new CompressionTurns();
  readonly #results = new DeflatedResults();

  /** `buffers`: where large answers come from, and go back to. */
  constructor(buffers: LargeBuffers, compressors = COMPRESSORS) {
    this.#buffers = buffers;
    this.#compressors = compressors;
  }

  /**
   * `accepted` is the client's Accept-Encoding. `done` is called once, at once or later; with the
   * bytes as they are where nothing else is wanted, too much is compressed already, or it fails.
   */
  encode(
    pieces: readonly Piece[],
    accepted: string | undefined,
    done: (encoded: Encoded) => void,
  ): void {
    const wanted = wantedCodings(accepted);
    const [coding] = wanted;
    if (coding === undefined) {
      done({ pieces, coding });
      return;
    }
    const single = wanted.includes("gzip") ? singleOf(pieces) : undefined;
    const again = single !== undefined && this.#results.isUsedAgain(single.result);
    if (single !== undefined && (again || coding === "gzip")) {
      this.#spliceInto(single, (spliced) => {
        done(spliced === undefined ? asTheyAre(pieces) : { pieces: spliced, coding: "gzip" });
      });
    } else {
      this.#compress(pieces, coding, done);
    }
  }

  #spliceInto(
    { head, result, tail }: Single,
    done: (pieces: readonly Piece[] | undefined) => void,
  ): void {
    const make = (made: (deflated: Deflated | undefined) => void) => this.#deflate(result, made);
    this.#results.take(result, make, (deflated) => {
      done(deflated && splice(head, deflated, tail));
    });
  }

  #deflate(result: Buffer, done: (deflated: Deflated | undefined) => void): void {
    const work = (end: () => void) => {
      attempt(this.#compressors.deflate, result, (bytes) => {
        end();
        // A copy: what zlib gives is a part of more.
        const deflated = bytes && toDeflated(Buffer.from(bytes), result);
        if (deflated !== undefined) this.#buffers.giveBack(result);
        done(deflated);
      });
    };
    if (!this.#turns.take(result.length, work)) done(undefined);
  }

  #compress(pieces: readonly Piece[], coding: Coding, done: (encoded: Encoded) => void): void {
    const sizeBytes = sizeOf(pieces);
    const work = (end: () => void) => {
      const joined = this.#join(pieces, sizeBytes);
      attempt(this.#compressors[coding], joined, (bytes) => {
        end();
        if (bytes === undefined) {
          done(asTheyAre([joined]));
        } else {
          this.#buffers.giveBack(joined);
          done({ pieces: [bytes], coding });
        }
      });
    };
    if (!this.#turns.take(sizeBytes, work)) done(asTheyAre(pieces));
  }

  /** One copy of them all, for a thread to read; the pieces themselves are given back. */
  #join(pieces: readonly Piece[], sizeBytes: number): Buffer {
    const joined = this.#buffers.take(sizeBytes);
    let at = 0;
    for (const piece of pieces) {
      if (typeof piece === "string") joined.write(piece, at, "latin1");
      else piece.copy(joined, at);
      at += piece.length;
    }
    for (const piece of pieces) if (typeof piece !== "string") this.#buffers.giveBack(piece);
    return joined;
  }
}

function asTheyAre(pieces: readonly Piece[]): Encoded {
  return { pieces, coding: undefined };
}

/** Undefined for a batch, a result in several pieces, and what no stored block could hold. */
function singleOf(pieces: readonly Piece[]): Single | undefined {
  const [head, result, tail] = pieces;
  if (pieces.length !== 3 || typeof head !== "string" || typeof tail !== "string") return undefined;
  if (!Buffer.isBuffer(result) || result.length > MOST_SPLICED_BYTES) return undefined;
  return Math.max(head.length, tail.length) > MOST_STORED_BYTES
    ? undefined
    : { head, result, tail };
}

/** Undefined where it fails, for want of memory for one. */
function attempt(
  compress: Compressor,
  plain: Buffer,
  done: (compressed: Buffer | undefined) => void,
): void {
  try {
    compress(plain, (error, compressed) => done(error === null ? compressed : undefined));
  } catch {
    // Later, as all others: a queue of failures must not become a stack of them.
    setImmediate(done, undefined);
  }
}

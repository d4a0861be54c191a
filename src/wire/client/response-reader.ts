import type { LargeBuffers } from "../bytes/large-buffers.ts";
import { READ_BUFFER, readPart } from "../bytes/read-buffer.ts";
import { BodyBuffer } from "./body-buffer.ts";
import { ChunkReader, NO_CHUNKS, TOO_MANY } from "./chunk-reader.ts";
import { HeaderSection, MALFORMED, UNFINISHED } from "./header-section.ts";
import { RepeatedResponses } from "./repeated-responses.ts";
import { isBeginningOfHead, parseHead, type ResponseHead } from "./response-head.ts";

/** Less than this is copied out of the common buffer instead of being read to its place. */
const DIRECT_BYTES = 4096;
/** A whole body up to this size is not copied out of the common buffer. */
const LENT_BYTES = 1024;

export type Progress =
  | "unfinished"
  | "whole"
  /** Whole, and followed by bytes that nobody asked for. */
  | "whole_and_more"
  | "broken"
  | "too_large";

export type Response = {
  readonly head: ResponseHead;
  /** May be a part of what was read, until the next read: `keptBytes` of it stay. */
  readonly body: Buffer;
};

/** Reads one response of HTTP/1 after another, strictly, in whatever pieces they come. */
export class ResponseReader {
  readonly #section = new HeaderSection();
  readonly #chunks = new ChunkReader();
  readonly #plain = new RepeatedResponses();
  readonly #body: BodyBuffer;
  /** The whole body, where it is small and came at once. */
  #lent: Buffer | undefined;
  #maxBytes = 0;
  #head: ResponseHead | undefined;

  /** `buffers`: where large bodies go. */
  constructor(buffers: LargeBuffers) {
    this.#body = new BodyBuffer(buffers);
  }

  /** The next response begins; its body may have so many bytes. */
  begin(maxBytes: number): void {
    this.#section.reset();
    this.#chunks.reset();
    this.#body.clear();
    this.#maxBytes = maxBytes;
    this.#head = undefined;
  }

  /** The bytes that are held of its body. */
  get heldBytes(): number {
    return this.#body.heldBytes;
  }

  /** The response is not wanted any more. */
  free(): void {
    this.#body.free();
  }

  /** A whole response, once. */
  take(): Response {
    const head = this.#head;
    if (head === undefined) throw new Error("there is no whole response");
    const lent = this.#lent;
    this.#head = undefined;
    this.#lent = undefined;
    return { head, body: lent ?? this.#body.take() };
  }

  /** The next bytes of the connection, which are the caller's again afterwards. */
  read(bytes: Buffer, size: number): Progress {
    let at = 0;
    if (this.#head === undefined && this.#section.text === "") {
      const plain = this.#plain.read(bytes, size);
      this.#head = plain?.head;
      at = plain?.sizeBytes ?? 0;
    }
    while (this.#head === undefined) {
      const end = this.#section.add(bytes, at, size);
      if (end === MALFORMED || !isBeginningOfHead(this.#section.text)) return "broken";
      if (end === UNFINISHED) return "unfinished";
      at = end;
      const head = parseHead(this.#section.text);
      // An upgrade to another protocol was not asked for.
      if (head === undefined || head.status === 101) return "broken";
      this.#section.reset();
      if (head.status >= 200) this.#head = head;
      else if (at === size) return "unfinished";
    }
    return this.#readBody(this.#head, { bytes, from: at, to: size });
  }

  /** Where the next bytes may be put directly, instead of being read; undefined for few. */
  room(): Buffer | undefined {
    const body = this.#head?.body;
    if (body === undefined || body === "until_end") return undefined;
    const left = body === "chunked" ? this.#chunks.left : body - this.#body.size;
    return left >= DIRECT_BYTES ? this.#body.room() : undefined;
  }

  /** Counts bytes that were put into the room. */
  advance(bytes: number): Progress {
    this.#body.advance(bytes);
    if (this.#head?.body === "chunked") {
      this.#chunks.advance(bytes);
      return "unfinished";
    }
    return this.#body.size === this.#head?.body ? "whole" : "unfinished";
  }

  /** The connection ended, as it should: whether the response did, too. */
  end(): Progress {
    return this.#head?.body === "until_end" ? "whole" : "broken";
  }

  #readBody(
    head: ResponseHead,
    piece: { readonly bytes: Buffer; readonly from: number; readonly to: number },
  ): Progress {
    const { bytes, from, to } = piece;
    if (head.body === "chunked") {
      const end = this.#chunks.read(piece, this.#body, this.#maxBytes);
      if (end === UNFINISHED) return "unfinished";
      if (end === NO_CHUNKS) return "broken";
      if (end === TOO_MANY) return "too_large";
      return end === to ? "whole" : "whole_and_more";
    }
    if (head.body === "until_end") {
      if (this.#body.size + to - from > this.#maxBytes) return "too_large";
      this.#body.append(bytes, from, to);
      return "unfinished";
    }
    if (head.body > this.#maxBytes) return "too_large";
    if (this.#body.size === 0) this.#body.expect(head.body);
    const end = Math.min(to, from + head.body - this.#body.size);
    if (bytes === READ_BUFFER && end - from === head.body && head.body <= LENT_BYTES) {
      this.#lent = readPart(from, end);
    } else {
      this.#body.append(bytes, from, end);
      if (this.#body.size < head.body) return "unfinished";
    }
    return end === to ? "whole" : "whole_and_more";
  }
}

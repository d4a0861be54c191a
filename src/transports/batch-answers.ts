import { isUtf8 } from "node:buffer";
import type { Piece } from "../lib/bytes.ts";
import { type ScannedObject, scanArray, scanObject } from "../lib/json-scan.ts";
import { skipSpace } from "../lib/json-value.ts";
import type { LargeBuffers } from "../wire/bytes/large-buffers.ts";
import { plainPiece, plainResult, type ViewedBody, viewed } from "./plain-result.ts";
import { garbageOf, NOT_UTF8, readError } from "./read-answer.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

/** A body up to this size may be kept by a result that is a part of it. */
const SHARED_BYTES = 65_536;
/** From here on a copy gets memory that is used again; smaller ones share some. */
const LARGE_BYTES = 4096;
const OPEN_BRACKET = 0x5b;
const COMMA = 0x2c;
const ID = /^\d{1,16}$/;
const ABSENT = "null";

export type Batch = {
  readonly status: number;
  readonly body: Buffer;
  /** The calls' ids are so many in a row. */
  readonly firstId: number;
  readonly count: number;
};

export type BatchAnswers = {
  /** In the calls' order; garbage for each that the node left out, or answered twice. */
  readonly answers: readonly UpstreamAnswer[];
  /** The one error, or what is no JSON-RPC, that stands in place of the answers. */
  readonly sole: UpstreamAnswer | undefined;
};

/**
 * The answers to a batch in a node's body. Answers are found by their ids, in any order, and results are
 * checked but not parsed. Nothing is read behind an element that is malformed. Of a large body they are copied: none keeps the memory of the others, and none loses
 * its own when another is written and its memory used again. Of a small one they are parts.
 */
export function readBatch(batch: Batch, buffers: LargeBuffers): BatchAnswers {
  return new BatchReader(batch, buffers).read();
}

class BatchReader {
  readonly #batch: Batch;
  readonly #buffers: LargeBuffers;
  readonly #answers: (UpstreamAnswer | undefined)[];
  readonly #viewed: ViewedBody;
  readonly #copies: boolean;
  readonly #isUtf8: boolean;
  #objects = 0;
  #error: UpstreamAnswer | undefined;
  /** Said to nobody: an error whose id is null, as of a request that could not be read. */
  #isForAll = false;

  constructor(batch: Batch, buffers: LargeBuffers) {
    this.#batch = batch;
    this.#buffers = buffers;
    this.#answers = new Array(batch.count).fill(undefined);
    this.#viewed = viewed(batch.body);
    this.#copies = batch.body.length > SHARED_BYTES || buffers.isLent(batch.body);
    this.#isUtf8 = isUtf8(batch.body);
  }

  read(): BatchAnswers {
    const { status, body } = this.#batch;
    const start = skipSpace(body, 0);
    const isList = body[start] === OPEN_BRACKET;
    if (isList) this.#readList(start);
    else this.#readObject(start);
    const only = this.#objects === 1 ? this.#error : undefined;
    const garbage = this.#objects === 0 || !isList ? garbageOf(status, body) : undefined;
    const left = (this.#isForAll ? only : undefined) ?? garbage ?? missing(status);
    return { answers: this.#answers.map((answer) => answer ?? left), sole: only ?? garbage };
  }

  #readList(start: number): void {
    const { body } = this.#batch;
    for (let at = skipSpace(body, start + 1); ; ) {
      const plain = this.#readPlain(at);
      const end = plain < 0 ? this.#readObject(at) : plain;
      if (end < 0) {
        this.#readAfter(start, at);
        return;
      }
      const mark = skipSpace(body, end);
      if (body[mark] !== COMMA) return;
      at = skipSpace(body, mark + 1);
    }
  }

  /** An element is no object: those behind it are read all the same where the list is sound. */
  #readAfter(start: number, element: number): void {
    const elements = scanArray(this.#batch.body, start) ?? [];
    for (const one of elements) if (one.start > element) this.#readObject(one.start);
  }

  #readPlain(at: number): number {
    const { status, body } = this.#batch;
    const plain = status < 400 ? plainResult(this.#viewed, at) : undefined;
    if (plain === undefined) return -1;
    this.#objects += 1;
    const index = this.#indexOf(plain.id);
    if (index >= 0) this.#answers[index] = this.#result(plainPiece(body, plain));
    return plain.end + 1;
  }

  /** Reads the object there; the index after it, or -1 where there is none. */
  #readObject(at: number): number {
    const { status, body } = this.#batch;
    const object = scanObject(body, at);
    if (object === undefined) return -1;
    this.#objects += 1;
    const { id, result, isError } = envelopeOf(body, object);
    const element = body.subarray(object.start, object.end);
    const isText = this.#isUtf8 || isUtf8(element);
    const error = isError && isText ? readError(element) : undefined;
    if (error !== undefined) this.#error = { kind: "error", status, error };
    this.#isForAll = id === ABSENT;
    const index = ID.test(id) ? this.#indexOf(Number(id)) : -1;
    if (index < 0) return object.end;
    if (error !== undefined) this.#answers[index] = this.#error;
    else if (result === undefined || isError || !isText || status >= 400)
      this.#answers[index] = garbageOf(status, element, isText ? "" : NOT_UTF8);
    else this.#answers[index] = this.#result(body.subarray(...result));
    return object.end;
  }

  /** The place of the call of this id; -1 where there is none, or it was answered already. */
  #indexOf(id: number): number {
    const index = id - this.#batch.firstId;
    if (!(index >= 0 && index < this.#batch.count)) return -1;
    if (this.#answers[index] === undefined) return index;
    // Which of two is its own nobody can tell: a node that mixes ids up leaves another one out.
    this.#answers[index] = missing(this.#batch.status);
    return -1;
  }

  /** The answer whose result is a part of the body, or a copy of it. */
  #result(piece: Piece): UpstreamAnswer {
    if (typeof piece === "string" || !this.#copies) return { kind: "result", result: [piece] };
    const bytes = piece.length;
    const copy = bytes < LARGE_BYTES ? Buffer.allocUnsafe(bytes) : this.#buffers.take(bytes);
    piece.copy(copy);
    return { kind: "result", result: [copy] };
  }
}

type Envelope = {
  /** The id's JSON text. */
  readonly id: string;
  readonly result: readonly [start: number, end: number] | undefined;
  readonly isError: boolean;
};

function envelopeOf(body: Buffer, { members }: ScannedObject): Envelope {
  let id = ABSENT;
  let result: Envelope["result"];
  let isError = false;
  for (const { key, valueStart, valueEnd } of members) {
    if (key === "result") result = [valueStart, valueEnd];
    else if (key === "id") id = body.toString("latin1", valueStart, valueEnd);
    else if (key === "error") isError = body.toString("latin1", valueStart, valueEnd) !== "null";
  }
  return { id, result, isError };
}

function missing(status: number): UpstreamAnswer {
  return { kind: "garbage", status, body: "(the batch's answer has none of this call)" };
}

import { Buffer } from "node:buffer";
import { sizeOf } from "../../lib/bytes.ts";
import { freeMemory } from "../bytes/free-memory.ts";
import type { LargeBuffers } from "../bytes/large-buffers.ts";
import { TURN_BYTES } from "../read-turns.ts";

/** A body of unknown size grows by at least so much. */
const BLOCK_BYTES = 16 * 1024;

/** Smaller ones share memory with others (Buffer's pool), which costs a fifth of memory of their own. */
const SHARED_BYTES = 4 * 1024;

const NOTHING: Buffer = Buffer.alloc(0);

/**
 * The bytes of one body, as few copies of them as can be: one block of its size where that is known
 * beforehand. Few blocks however small the pieces are that it comes in.
 */
export class BodyBuffer {
  /** Bytes so far. */
  size = 0;
  readonly #buffers: LargeBuffers;
  readonly #full: Buffer[] = [];
  #block = NOTHING;
  #filled = 0;
  #expected = 0;

  constructor(buffers: LargeBuffers) {
    this.#buffers = buffers;
  }

  /** Announces the number of bytes that come next. */
  expect(bytes: number): void {
    this.#expected = bytes;
  }

  append(bytes: Buffer, from: number, to: number): void {
    for (let at = from; at < to; ) {
      if (this.#filled === this.#block.length) this.#grow(to - at);
      const copied = bytes.copy(this.#block, this.#filled, at, to);
      at += copied;
      this.advance(copied);
    }
  }

  /**
   * Where announced bytes go next; they may be written there instead of being appended. What is read
   * there in one go is no more than what is read in a turn.
   */
  room(): Buffer {
    if (this.#filled === this.#block.length) this.#grow(0);
    const bytes = Math.min(this.#expected, TURN_BYTES);
    return this.#block.subarray(this.#filled, Math.min(this.#block.length, this.#filled + bytes));
  }

  /** Counts bytes that were written into the room. */
  advance(bytes: number): void {
    this.#filled += bytes;
    this.size += bytes;
    this.#expected -= bytes;
  }

  /** The body, in memory of its own size where it is not small; this is empty afterwards. */
  take(): Buffer {
    const block = this.#block;
    const body = this.#full.length === 0 && this.#filled === block.length ? block : this.#joined();
    this.clear();
    return body;
  }

  /** The bytes that are held of it: the room for announced ones, too. */
  get heldBytes(): number {
    return this.#block.length + sizeOf(this.#full);
  }

  /** As `clear`; its memory can be used at once. */
  free(): void {
    const blocks = [this.#block, ...this.#full];
    this.clear();
    for (const block of blocks) {
      if (this.#buffers.isLent(block)) this.#buffers.giveBack(block);
      else freeMemory([block]);
    }
  }

  clear(): void {
    this.size = 0;
    // To set a length is a call into the runtime, also where it changes nothing.
    if (this.#full.length > 0) this.#full.length = 0;
    this.#block = NOTHING;
    this.#filled = 0;
    this.#expected = 0;
  }

  #joined(): Buffer {
    const body = this.#allocate(this.size);
    let at = 0;
    for (const block of this.#full) at += block.copy(body, at);
    this.#block.copy(body, at, 0, this.#filled);
    return body;
  }

  #grow(bytes: number): void {
    if (this.#filled > 0) this.#full.push(this.#block);
    const least = this.size === 0 ? bytes : Math.max(bytes, BLOCK_BYTES);
    this.#block = this.#allocate(Math.max(least, this.#expected));
    this.#filled = 0;
  }

  #allocate(bytes: number): Buffer {
    return bytes < SHARED_BYTES ? Buffer.allocUnsafe(bytes) : this.#buffers.take(bytes);
  }
}

import { sizeOf } from "../../lib/bytes.ts";
import { freeMemory } from "../bytes/free-memory.ts";
import type { LargeBuffers } from "../bytes/large-buffers.ts";

/** All of one size: what was freed has room for what comes next. */
const BLOCK_BYTES = 64 * 1024;

/** A client's WebSocket frame that is longer than a read, as it comes in. */
export class LongFrame {
  readonly #sizeBytes: number;
  readonly #blocks: Buffer[] = [];
  #addedBytes = 0;

  /** `sizeBytes`: of all of it, its head included. */
  constructor(sizeBytes: number) {
    this.#sizeBytes = sizeBytes;
  }

  get isWhole(): boolean {
    return this.#addedBytes === this.#sizeBytes;
  }

  /** The bytes that are held of it. */
  get heldBytes(): number {
    return sizeOf(this.#blocks);
  }

  /** Copies what is its own from `start` on; returns where that ends. */
  add(bytes: Buffer, start: number): number {
    const end = Math.min(bytes.length, start + this.#sizeBytes - this.#addedBytes);
    for (let at = start; at < end; ) {
      const filled = this.#addedBytes % BLOCK_BYTES;
      if (filled === 0) {
        const left = this.#sizeBytes - this.#addedBytes;
        this.#blocks.push(Buffer.allocUnsafeSlow(Math.min(left, BLOCK_BYTES)));
      }
      const copied = bytes.copy(this.#blocks.at(-1) as Buffer, filled, at, end);
      this.#addedBytes += copied;
      at += copied;
    }
    return end;
  }

  /** All of it, in memory that has to be given back to these buffers. Its own is free. */
  join(buffers: LargeBuffers): Buffer {
    const whole = buffers.take(this.#sizeBytes);
    let at = 0;
    for (const block of this.#blocks) at += block.copy(whole, at);
    this.free();
    return whole;
  }

  free(): void {
    freeMemory(this.#blocks);
    this.#blocks.length = 0;
  }
}

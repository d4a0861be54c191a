/** Smaller ones cost less to make anew than to keep books of. */
const LEAST_BYTES = 64 * 1024;
/** Larger ones are too seldom to be worth keeping. */
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_KEPT_BYTES = 64 * 1024 * 1024;

/**
 * Memory for large bodies, used again: making it anew for each, and collecting it, was a third of
 * what forwarding a block costs. Whoever is the last to hold a body may give it back; who does not
 * leaves it to the collector.
 */
export class LargeBuffers {
  /** By size, which is a power of two. */
  readonly #free = new Map<number, ArrayBuffer[]>();
  readonly #lent = new WeakSet<ArrayBufferLike>();
  #keptBytes = 0;

  /** Memory of this many bytes, with any content. */
  take(bytes: number): Buffer {
    if (bytes < LEAST_BYTES || bytes > MOST_BYTES) return Buffer.allocUnsafeSlow(bytes);
    const sizeBytes = 2 ** Math.ceil(Math.log2(bytes));
    const kept = this.#free.get(sizeBytes)?.pop();
    if (kept !== undefined) this.#keptBytes -= sizeBytes;
    const memory = kept ?? (Buffer.allocUnsafeSlow(sizeBytes).buffer as ArrayBuffer);
    this.#lent.add(memory);
    return Buffer.from(memory, 0, bytes);
  }

  /** Whether the memory of this buffer may be used again once somebody gives it back. */
  isLent({ buffer }: Buffer): boolean {
    return this.#lent.has(buffer);
  }

  /** Somebody holds on to the bytes: their memory is not used again, whoever gives it back. */
  keep({ buffer }: Buffer): void {
    this.#lent.delete(buffer);
  }

  /**
   * The memory of this buffer, or of the one that it is a part of, is used again. Nobody may read it
   * any more. What was not taken here, or was given back before, is left alone.
   */
  giveBack({ buffer }: Buffer): void {
    if (!this.#lent.delete(buffer)) return;
    const memory = buffer as ArrayBuffer;
    const { byteLength } = memory;
    if (this.#keptBytes + byteLength > MOST_KEPT_BYTES) {
      // A flood of clients gives back more than the collector frees meanwhile.
      memory.transfer(0);
      return;
    }
    this.#keptBytes += byteLength;
    const free = this.#free.get(byteLength);
    if (free === undefined) this.#free.set(byteLength, [memory]);
    else free.push(memory);
  }
}

import { Buffer } from "node:buffer";

/** Smaller pieces lie in Buffer's pool, beside what is others'. */
const LEAST_BYTES = 4096;

/**
 * A copy that `freeMemory` can free. `Buffer.from` puts what is smaller than 32 KB into a pool of 64,
 * which stays as long as any of those whose bytes lie in it.
 */
export function freeableCopy(bytes: Buffer): Buffer {
  if (bytes.length < LEAST_BYTES) return Buffer.from(bytes);
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/**
 * Frees the memory of these buffers now, in place of at some collection: what a flood of clients sent
 * would be collected later than the flood goes on. Nobody may look at them any more. Those that share
 * memory with others (Buffer's pool) are left alone.
 */
export function freeMemory(buffers: readonly Buffer[]): void {
  for (const { buffer, length } of buffers) {
    const isAlone = buffer.byteLength === length && length >= LEAST_BYTES;
    if (isAlone && buffer instanceof ArrayBuffer) buffer.transfer(0);
  }
}

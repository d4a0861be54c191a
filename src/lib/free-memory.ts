import { Buffer } from "node:buffer";

/**
 * Frees the memory of these buffers now, in place of at some collection: what a flood of clients sent
 * would be collected later than the flood goes on. Nobody may look at them any more. Those that share
 * memory with others (Buffer's pool) are left alone.
 */
export function freeMemory(buffers: readonly Buffer[]): void {
  for (const { buffer, length } of buffers) {
    const isAlone = buffer.byteLength === length && length >= Buffer.poolSize;
    if (isAlone && buffer instanceof ArrayBuffer) buffer.transfer(0);
  }
}

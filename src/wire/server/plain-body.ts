import { sizeOf } from "../../lib/bytes.ts";
import { freeableCopy, freeMemory } from "../bytes/free-memory.ts";
import { partOf } from "../bytes/read-buffer.ts";

const NOTHING = Buffer.alloc(0);

/**
 * The body of a plain request, whose size its head has told, as it comes in. The bytes that it is
 * given are overwritten soon.
 */
export class PlainBody {
  missingBytes = 0;
  #kept: Buffer = NOTHING;
  #more: Buffer[] = [];
  #dropped = false;

  /** Begins a body that stands at `start`; returns what comes after it, if anything does. */
  begin(bytes: Buffer, start: number, sizeBytes: number): Buffer | undefined {
    const end = start + sizeBytes;
    this.#dropped = false;
    this.missingBytes = Math.max(0, end - bytes.length);
    this.#kept = partOf(bytes, start, end);
    return bytes.length > end ? bytes.subarray(end) : undefined;
  }

  /** Takes more of it; returns what comes after it, if anything does. */
  add(bytes: Buffer): Buffer | undefined {
    const part = bytes.subarray(0, this.missingBytes);
    this.missingBytes -= part.length;
    if (!this.#dropped) this.#more.push(freeableCopy(part));
    return part.length < bytes.length ? bytes.subarray(part.length) : undefined;
  }

  /** The bytes that have come of a body of that size. */
  receivedBytes(sizeBytes: number): number {
    return sizeBytes - this.missingBytes;
  }

  /** The bytes that have come and are kept. */
  get keptBytes(): number {
    return this.#kept.length + sizeOf(this.#more);
  }

  /** Somebody will want it later: what has come is copied, unless it was asked for already. */
  own(): void {
    if (this.#kept.length > 0) this.#kept = freeableCopy(this.#kept);
  }

  /** Nobody wants it: what has come is let go, what comes is not kept. */
  drop(): void {
    this.#dropped = true;
    this.#kept = NOTHING;
    if (this.#more.length > 0) this.#more = [];
  }

  /** As `drop`, and its memory is free at once. */
  free(): void {
    const bytes = [this.#kept, ...this.#more];
    this.drop();
    freeMemory(bytes);
  }

  /** All of it, once nothing is missing; asked for once. */
  whole(): Buffer {
    const kept = this.#kept;
    this.#kept = NOTHING;
    return this.#more.length === 0 ? kept : Buffer.concat([kept, ...this.#more]);
  }
}

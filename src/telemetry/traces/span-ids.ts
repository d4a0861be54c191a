import type { Random } from "../../lib/random.ts";

const [TRACE_ID_DIGITS, SPAN_ID_DIGITS] = [32, 16];
/** Asked of the system at once: to ask costs some two microseconds, however few they are, and a call has ten ids. */
const POOL_BYTES = 2048;

/** New ids of traces and spans, as hex digits (W3C Trace Context, 3.2.2.3 and 3.2.2.4). */
export class SpanIds {
  readonly newSpanId = (): string => this.#take(SPAN_ID_DIGITS);
  readonly newTraceId = (): string => this.#take(TRACE_ID_DIGITS);
  readonly #bytes: Random;
  #digits = "";
  #taken = 0;

  constructor(bytes: Random) {
    this.#bytes = bytes;
  }

  #take(digits: number): string {
    if (this.#taken + digits > this.#digits.length) {
      this.#digits = Buffer.from(this.#bytes(POOL_BYTES)).toString("hex");
      this.#taken = 0;
    }
    const from = this.#taken;
    this.#taken = from + digits;
    return this.#digits.slice(from, this.#taken);
  }
}

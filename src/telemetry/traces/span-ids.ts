import type { Random } from "../../lib/random.ts";

const [TRACE_ID_BYTES, PREFIX_BYTES] = [16, 6];
/** Asked of the system at once: to ask costs some two microseconds, however few they are. */
const POOL_BYTES = 2048;
/** Ids of spans that begin alike. */
const SPANS = 0x10000;

/**
 * New ids of traces and spans, as hex digits (W3C Trace Context, 3.2.2.3 and 3.2.2.4). A call has ten spans: of their ids
 * the first twelve digits are random and the last four count.
 */
export class SpanIds {
  readonly newSpanId = (): string => {
    const suffix = this.#spans % SPANS;
    if (suffix === 0) this.#prefix = this.#take(PREFIX_BYTES);
    this.#spans = suffix + 1;
    return `${this.#prefix}${this.#bytesInHex[suffix >> 8]}${this.#bytesInHex[suffix & 0xff]}`;
  };
  readonly newTraceId = (): string => this.#take(TRACE_ID_BYTES);
  readonly #bytes: Random;
  readonly #bytesInHex = Array.from({ length: 256 }, (_, byte) =>
    byte.toString(16).padStart(2, "0"),
  );
  #prefix = "";
  #spans = 0;
  #digits = "";
  #taken = 0;

  constructor(bytes: Random) {
    this.#bytes = bytes;
  }

  #take(bytes: number): string {
    const digits = 2 * bytes;
    if (this.#taken + digits > this.#digits.length) {
      this.#digits = Buffer.from(this.#bytes(POOL_BYTES)).toString("hex");
      this.#taken = 0;
    }
    const from = this.#taken;
    this.#taken = from + digits;
    return this.#digits.slice(from, this.#taken);
  }
}

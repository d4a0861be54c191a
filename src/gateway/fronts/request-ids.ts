import type { Random } from "../../lib/random.ts";

/** Two digits to the base 36: most of a number is the one before, and to write it takes 0.1 us. */
const PAIRS = Array.from({ length: 36 ** 2 }, (_, n) => n.toString(36).padStart(2, "0"));

const WELL_FORMED = /^[A-Za-z0-9._-]{1,64}$/;

/** Ids that name a request in the log: unique in this process, and not guessable across others. */
export class RequestIds {
  readonly #process: string;
  #beginning = "";
  #next = 0;

  constructor(random: Random) {
    this.#process = Buffer.from(random(6)).toString("hex");
  }

  /** A well-formed id of the client's own is kept, so that its log and ours can be joined. */
  of(given: string | undefined): string {
    if (given !== undefined && WELL_FORMED.test(given) && !given.includes("tg_")) return given;
    const low = this.#next % PAIRS.length;
    if (low === 0) {
      const high = this.#next / PAIRS.length;
      this.#beginning = `${this.#process}-${high.toString(36)}`;
    }
    this.#next += 1;
    return this.#beginning + PAIRS[low];
  }
}

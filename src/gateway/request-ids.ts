import { randomBytes } from "node:crypto";

const WELL_FORMED = /^[A-Za-z0-9._-]{1,64}$/;

/** Ids that name a request in the log: unique in this process, and not guessable across others. */
export class RequestIds {
  readonly #process = randomBytes(6).toString("hex");
  #last = 0;

  /** A well-formed id of the client's own is kept, so that its log and ours can be joined. */
  of(given: string | undefined): string {
    if (given !== undefined && WELL_FORMED.test(given) && !given.includes("tg_")) return given;
    this.#last += 1;
    return `${this.#process}-${this.#last.toString(36)}`;
  }
}

import { STATUS_CODES } from "node:http";
import type { UnixMs } from "../../lib/clock.ts";

/**
 * The lines around an answer's own header lines on the plain wire: the same that node:http
 * writes. The date is made into text once a second.
 */
export class AnswerEnds {
  readonly #keepAlive: string;
  #second = -1;
  #goingOn = "";
  #closing = "";

  /** `keepAliveMs`: what the client is told; 0 tells nothing. */
  constructor(keepAliveMs: number) {
    const timeout =
      keepAliveMs > 0 ? `Keep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n` : "";
    this.#keepAlive = `Connection: keep-alive\r\n${timeout}\r\n`;
  }

  /** The last header lines and the empty one; `last`: the connection ends with this answer. */
  after(nowMs: UnixMs, last: boolean): string {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      const date = `Date: ${new Date(second * 1000).toUTCString()}\r\n`;
      this.#goingOn = date + this.#keepAlive;
      this.#closing = `Connection: close\r\n${date}\r\n`;
    }
    return last ? this.#closing : this.#goingOn;
  }
}

const OK = statusLine(200);

export function statusLineOf(status: number): string {
  return status === 200 ? OK : statusLine(status);
}

function statusLine(status: number): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
}

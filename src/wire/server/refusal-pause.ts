import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { SystemTimers } from "../../lib/clock.ts";

/**
 * A client that is told to slow down and asks on: its connection is not read for so long after each
 * such answer, so that it gets 200 of them a second at most. Clients that retry at once, as
 * @solana/web3.js does with a refused subscription, would keep the gateway busy with refusals.
 */
const PAUSE_MS = 5;
/** As many bytes as are free of credits. Each KB more, which was read to be let go, is a millisecond more. */
const SMALL_BYTES = 4096;
const BYTES_PER_MS = 1024;
/** As soon as the answer's Retry-After allows. */
const LONGEST_PAUSE_MS = 1000;
const TOO_MANY_REQUESTS = 429;

/** An answer's status, and the size of the message that it answers. */
export type Answered = { readonly status: number; readonly messageBytes: number };

function pauseMs({ messageBytes }: Answered): number {
  const more = Math.floor(Math.max(0, messageBytes - SMALL_BYTES) / BYTES_PER_MS);
  return Math.min(PAUSE_MS + more, LONGEST_PAUSE_MS);
}

/** Whether the answer has this status; then `goOn` is called once the connection may be read again. */
export function pausesAfter(
  answered: Answered,
  goOn: () => void,
  timers: Pick<SystemTimers, "after">,
): boolean {
  if (answered.status !== TOO_MANY_REQUESTS) return false;
  timers.after(pauseMs(answered), goOn);
  return true;
}

type Refusal = {
  readonly answered: Answered;
  readonly request: IncomingMessage;
  readonly write: () => void;
};

/** As `pausesAfter`, for connections of which many requests are read before the first is answered. */
export class RefusalPauses {
  /** The refusals that wait on connections that rest, for requests that were read ahead. */
  readonly #waiting = new WeakMap<Socket, Refusal[]>();
  readonly #timers: Pick<SystemTimers, "after">;

  constructor(timers: Pick<SystemTimers, "after">) {
    this.#timers = timers;
  }

  /**
   * `write` is called once: when the connection has rested after each such answer before. Without
   * this status, at once.
   */
  writeInPace(answered: Answered, request: IncomingMessage, write: () => void): void {
    if (answered.status !== TOO_MANY_REQUESTS) {
      write();
      return;
    }
    const refusal = { answered, request, write };
    const before = this.#waiting.get(request.socket);
    if (before !== undefined) {
      before.push(refusal);
      return;
    }
    const later: Refusal[] = [];
    this.#waiting.set(request.socket, later);
    this.#write(refusal, later);
  }

  #write({ answered, request, write }: Refusal, later: Refusal[]): void {
    const { socket } = request;
    write();
    // The rest of a body that is let go would have the socket read all the same.
    request.pause();
    socket.pause();
    this.#timers.after(pauseMs(answered), () => {
      request.resume();
      const next = later.shift();
      if (next !== undefined && !socket.destroyed) {
        this.#write(next, later);
        return;
      }
      this.#waiting.delete(socket);
      socket.resume();
    });
  }
}

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

/** A connection that rests. */
type Rest = {
  /** Refusals of requests that were read ahead, in the order in which they came about. */
  readonly later: Refusal[];
  /** Requests whose bodies are let go: each would have the socket read on. */
  readonly paused: IncomingMessage[];
};

/** As `pausesAfter`, for connections of which many requests are read before the first is answered. */
export class RefusalPauses {
  readonly #resting = new WeakMap<Socket, Rest>();
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
    const rest = this.#resting.get(request.socket);
    if (rest === undefined) this.#begin(refusal);
    else rest.later.push(refusal);
  }

  #begin(refusal: Refusal): void {
    const rest = { later: [], paused: [] };
    this.#resting.set(refusal.request.socket, rest);
    this.#write(refusal, rest);
  }

  #write({ answered, request, write }: Refusal, rest: Rest): void {
    const { socket } = request;
    write();
    rest.paused.push(request);
    request.pause();
    socket.pause();
    this.#timers.after(pauseMs(answered), () => {
      const next = rest.later.shift();
      if (next !== undefined && !socket.destroyed) {
        this.#write(next, rest);
        return;
      }
      this.#resting.delete(socket);
      for (const one of rest.paused) one.resume();
      socket.resume();
    });
  }
}

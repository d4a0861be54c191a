import type { Socket } from "node:net";
import type { SystemTimers } from "../../lib/clock.ts";

/**
 * A client that is told to slow down and asks on: its connection is not read for so long after each
 * such answer, so that it gets 200 of them a second at most. Clients that retry at once, as
 * @solana/web3.js does with a refused subscription, would keep the gateway busy with refusals.
 */
const PAUSE_MS = 5;
const TOO_MANY_REQUESTS = 429;

/** Whether the answer has this status; then `goOn` is called once the connection may be read again. */
export function pausesAfter(
  status: number,
  goOn: () => void,
  timers: Pick<SystemTimers, "after">,
): boolean {
  if (status !== TOO_MANY_REQUESTS) return false;
  timers.after(PAUSE_MS, goOn);
  return true;
}

/** As `pausesAfter`, for connections of which many requests are read before the first is answered. */
export class RefusalPauses {
  /** The refusals that wait on connections that rest, for requests that were read ahead. */
  readonly #waiting = new WeakMap<Socket, (() => void)[]>();
  readonly #timers: Pick<SystemTimers, "after">;

  constructor(timers: Pick<SystemTimers, "after">) {
    this.#timers = timers;
  }

  /**
   * `write` is called once: when the connection has rested after each such answer before. Without
   * this status, at once.
   */
  writeInPace(status: number, socket: Socket, write: () => void): void {
    const before = this.#waiting.get(socket);
    if (status === TOO_MANY_REQUESTS && before !== undefined) {
      before.push(write);
      return;
    }
    write();
    if (status !== TOO_MANY_REQUESTS) return;
    const later: (() => void)[] = [];
    this.#waiting.set(socket, later);
    socket.pause();
    const goOn = (): void => {
      const next = later.shift();
      if (next !== undefined && !socket.destroyed) {
        next();
        this.#timers.after(PAUSE_MS, goOn);
        return;
      }
      this.#waiting.delete(socket);
      socket.resume();
    };
    this.#timers.after(PAUSE_MS, goOn);
  }
}

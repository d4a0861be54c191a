import type { Socket } from "node:net";
import type { Clock, MonotonicMs } from "../../lib/clock.ts";
import type { NodeInside } from "../node-inside.ts";

/** Slower than any line that people use: a reader that takes less holds memory for its own sake. */
const LEAST_BYTES_PER_SECOND = 8192;

type Window = { readonly sinceMs: MonotonicMs; readonly takenBytes: number };

type Options = {
  readonly windowMs: number;
  readonly clock: Pick<Clock, "monotonic">;
  readonly inside: NodeInside;
};

/**
 * Ends connections whose clients take what was written to them more slowly than the least rate, in a
 * stretch of `windowMs` in which something was unsent all the time.
 */
export class SlowReaders {
  readonly #sockets: ReadonlySet<Socket>;
  readonly #inside: NodeInside;
  readonly #windowMs: number;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #windows = new WeakMap<Socket, Window>();

  constructor(sockets: ReadonlySet<Socket>, { windowMs, clock, inside }: Options) {
    this.#inside = inside;
    this.#sockets = sockets;
    this.#windowMs = windowMs;
    this.#clock = clock;
  }

  /** Every connection, now and then. */
  look(): void {
    const nowMs = this.#clock.monotonic();
    for (const socket of this.#sockets) this.#lookAt(socket, nowMs);
  }

  #lookAt(socket: Socket, nowMs: MonotonicMs): void {
    const { unsentBytes, takenBytes } = this.#inside.sendingOf(socket);
    if (unsentBytes === 0) {
      this.#windows.delete(socket);
      return;
    }
    const window = this.#windows.get(socket);
    if (window === undefined) {
      this.#windows.set(socket, { sinceMs: nowMs, takenBytes });
      return;
    }
    const tookMs = nowMs - window.sinceMs;
    if (tookMs < this.#windowMs) return;
    const least = (tookMs / 1000) * LEAST_BYTES_PER_SECOND;
    if (takenBytes - window.takenBytes < least) socket.destroy();
    else this.#windows.set(socket, { sinceMs: nowMs, takenBytes });
  }
}

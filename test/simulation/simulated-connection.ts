import type { VirtualTime } from "./virtual-time.ts";

export type ConnectionOptions = {
  /** How long it stays open without calls. */
  readonly idleMs: number;
  readonly latencyMs: number;
};

/** Whether the gateway has a connection to a node that it keeps between calls. */
export class SimulatedConnection {
  /** Told when the node ends it. */
  onBroken: () => void = () => {};
  /** The node has ended it, and the gateway does not know yet. */
  isClosing = false;
  readonly #options: ConnectionOptions;
  readonly #time: VirtualTime;
  /** When the last answer came over it; undefined: there is none. */
  #answeredMs: number | undefined;

  constructor(options: ConnectionOptions, time: VirtualTime) {
    this.#options = options;
    this.#time = time;
  }

  get isOpen(): boolean {
    return this.#answeredMs !== undefined;
  }

  /** An answer came over it. `isInUse` says whether more are to come. */
  answered(isInUse: () => boolean): void {
    const sinceMs = this.#time.nowMs;
    const { idleMs, latencyMs } = this.#options;
    this.#answeredMs = sinceMs;
    if (idleMs === Number.POSITIVE_INFINITY) return;
    this.#time.after(idleMs, () => {
      if (this.#answeredMs !== sinceMs || isInUse()) return;
      this.isClosing = true;
      this.#time.after(latencyMs / 2, () => {
        if (this.isClosing) this.ended();
      });
    });
  }

  ended(): void {
    if (!this.isOpen) return;
    this.#answeredMs = undefined;
    this.isClosing = false;
    this.onBroken();
  }
}

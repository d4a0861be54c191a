import type { MonotonicMs, Time, UnixMs } from "../../lib/clock.ts";

/** A machine's oscillator is off by a millisecond or so in that time. */
const ASKED_EVERY_MS = 10_000;
/** The database tells whole milliseconds. */
const ROUNDED_BY_MS = 0.5;

export type DatabaseClockParts = {
  /** The database's time. */
  readonly ask: () => Promise<UnixMs>;
  readonly time: Pick<Time, "monotonic" | "every">;
};

/**
 * The database's time as this process knows it: what the database answered last, and how long ago by the monotonic
 * clock. Days go by it, so that they are the same for all processes, whatever the clocks of their machines say.
 */
export class DatabaseClock {
  readonly #parts: DatabaseClockParts;
  /** By how much the database's time is ahead of the monotonic clock. */
  #aheadMs: number | undefined;
  #end: () => void = () => undefined;

  constructor(parts: DatabaseClockParts) {
    this.#parts = parts;
  }

  /** @throws StorageError where the database does not answer the first time; later on that is waited out. */
  async start(): Promise<void> {
    await this.#look();
    this.#end = this.#parts.time.every(ASKED_EVERY_MS, () => {
      this.#look().catch(() => undefined);
    });
  }

  /** After `start`. Whole milliseconds. */
  readonly timeAt = (atMs: MonotonicMs): UnixMs => Math.floor(atMs + (this.#aheadMs ?? 0));

  stop(): void {
    this.#end();
  }

  /** The answer was made at some moment between question and arrival: what is known already stays, if it can be. */
  async #look(): Promise<void> {
    const { ask, time } = this.#parts;
    const sentAtMs = time.monotonic();
    const told = await ask();
    const least = told - ROUNDED_BY_MS - time.monotonic();
    const most = told + ROUNDED_BY_MS - sentAtMs;
    const known = this.#aheadMs ?? (least + most) / 2;
    this.#aheadMs = Math.min(most, Math.max(least, known));
  }
}

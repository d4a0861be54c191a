import { DAY_MS, dayOf } from "../lib/day.ts";
import type { Day } from "../storage/ledger-store.ts";
import type { Scheduler } from "./scheduler.ts";

/** A clock that is set by less than that (a step of NTP, a machine that was paused) runs on. */
const JUMP_MS = 600_000;
const IN_TURN: Standing = Object.freeze({ pool: null, spare: 0 });

/** A clock has to run on for this long before its midnight counts as a real one. */
const TRUSTED_AFTER_MS = 600_000;

/** The fields of `TakeRequest` that tell of a day's balance. */
export type Standing = { readonly pool: number | null; readonly spare: number };

/**
 * Which days have a balance of their own, by what the clock did in the life of this process. The
 * clock is always followed: nobody can tell whether it was right before it jumped or is right now.
 * But no more days get a balance of their own than have really passed; all others share one. So
 * whatever the clock does, one balance more than the real days had can be spent, and no more.
 */
export class DaysInTurn {
  readonly #clock: Pick<Scheduler, "now" | "elapsed">;
  readonly #startedAtMs: number;
  /** The first day, and those that began at a real midnight: all processes of a machine know the same. */
  readonly #inTurn = new Set<Day>();
  /**
   * Days that the clock jumped to while there was room for one more. Two workers that look at different moments
   * may know different ones, so the store lets no more of them have a balance of their own than there was room for.
   */
  readonly #jumpedTo = new Set<Day>();
  /** The number of the balance that other days share: the first day, so that workers have one. */
  readonly #pool: Day;
  /** The day at the last look, and by how much Unix time was ahead of the elapsed time. */
  #day = -1;
  #aheadMs = Number.NEGATIVE_INFINITY;
  /** Since when the clock runs on without a jump. */
  #steadySinceMs = 0;

  constructor(clock: Pick<Scheduler, "now" | "elapsed">) {
    this.#clock = clock;
    this.#startedAtMs = clock.elapsed();
    this.#pool = dayOf(clock.now());
    this.look();
  }

  /** The standing to take credits of this day with. */
  standingOf(day: Day): Standing {
    if (this.#inTurn.has(day)) return IN_TURN;
    if (day !== this.#day) this.look();
    if (this.#inTurn.has(day)) return IN_TURN;
    return { pool: this.#pool, spare: this.#jumpedTo.has(day) ? this.#jumpedTo.size : 0 };
  }

  /** To be called a few times a second, so that a jump is seen although nobody calls. */
  look(): void {
    const nowMs = this.#clock.now();
    const atMs = this.#clock.elapsed();
    if (Math.abs(nowMs - atMs - this.#aheadMs) >= JUMP_MS) this.#steadySinceMs = atMs;
    this.#aheadMs = nowMs - atMs;
    const day = dayOf(nowMs);
    if (day === this.#day) return;
    this.#day = day;
    if (this.#inTurn.has(day)) return;
    // A process that was paused sees a midnight late: what counts is how long the clock had run on until then.
    const midnightAtMs = atMs - (nowMs % DAY_MS);
    const isTrusted = midnightAtMs - this.#steadySinceMs >= TRUSTED_AFTER_MS;
    const wasJumpedTo = this.#jumpedTo.has(day);
    if (wasJumpedTo && !isTrusted) return;
    // Its own midnight has come: it takes its place.
    if (wasJumpedTo) this.#jumpedTo.delete(day);
    // In a time as long as n days midnight passes n or n + 1 times.
    const room = Math.floor((atMs - this.#startedAtMs) / DAY_MS) + (isTrusted ? 2 : 1);
    if (this.#inTurn.size + this.#jumpedTo.size >= room) return;
    const isInTurn = isTrusted || this.#inTurn.size === 0;
    (isInTurn ? this.#inTurn : this.#jumpedTo).add(day);
  }
}

import type { Clock, MonotonicMs } from "../lib/clock.ts";
import { SlidingCount } from "./sliding-count.ts";

export type BreakerState = "closed" | "open" | "half-open";

export type BreakerOptions = {
  /** Told of each change, after it was made. */
  readonly onChange?: ((state: BreakerState) => void) | undefined;
  /** Told where the next probe is due sooner than it was. */
  readonly onSooner?: (() => void) | undefined;
};

/** A node that is down fails every call: five cost a client nothing, since another is asked. */
const FAULTS_IN_A_ROW = 5;
/** A node that hangs gives no faults before the deadline, but loses to every hedge. */
const STALLS_IN_A_ROW = 3;
const WINDOW_MS = 10_000;
const WINDOW_STEPS = 10;
/** Fewer calls say nothing of a share. */
const LEAST_CALLS = 20;
const FIRST_OPEN_MS = 1000;
/** With two seconds for the probe: a node that has recovered is in use again within 10 s. */
const LONGEST_OPEN_MS = 8000;
const FORGET_AFTER_MS = 30_000;
/** A node that answers clients for so long without a fault need not wait for its probe's turn. */
const ANSWERING_MS = 500;
/** A trial that takes longer, or that its client gave up, does not keep the node out. */
const TRIAL_MS = 1000;

/**
 * Keeps calls away from a node that fails them. Closed: all go there. Open: none do, and the
 * gateway's own probe is due at times that double, or soon after clients that had nobody else to ask
 * were answered there. Half-open, after a probe that succeeded: one call at a time tries it, its
 * success closes and its failure opens for twice as long.
 *
 * `beganMs` in every outcome is when its call began (where not given, now): calls that were in the
 * air when it opened tell nothing of the node as it is after a probe, and are not counted.
 */
export class Breaker {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #onChange: ((state: BreakerState) => void) | undefined;
  readonly #onSooner: (() => void) | undefined;
  readonly #calls = new SlidingCount(WINDOW_MS, WINDOW_STEPS);
  readonly #faults = new SlidingCount(WINDOW_MS, WINDOW_STEPS);
  #state: BreakerState = "closed";
  #faultsInARow = 0;
  #stallsInARow = 0;
  #openMs = FIRST_OPEN_MS;
  #probeDueAtMs = Number.POSITIVE_INFINITY;
  #isProbed = false;
  #openedAtMs = Number.NEGATIVE_INFINITY;
  /** While it is open: when a call was answered with no fault since; Infinity: none was. */
  #answersSinceMs = Number.POSITIVE_INFINITY;
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #closedAtMs = Number.NEGATIVE_INFINITY;
  #trialAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, "monotonic">, options: BreakerOptions = {}) {
    this.#clock = clock;
    this.#onChange = options.onChange;
    this.#onSooner = options.onSooner;
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Whether `tryEnter` would let a call in. */
  get isFree(): boolean {
    if (this.#state !== "half-open") return this.#state === "closed";
    return this.#clock.monotonic() - this.#trialAtMs >= TRIAL_MS;
  }

  /** False where the next call has to go elsewhere. Half-open, true makes that call the trial. */
  tryEnter(): boolean {
    if (this.#state === "closed") return true;
    if (!this.isFree) return false;
    this.#trialAtMs = this.#clock.monotonic();
    return true;
  }

  succeeded(beganMs?: number, now: MonotonicMs = this.#clock.monotonic()): void {
    if (this.#state === "open") this.#answered(beganMs ?? now, now);
    if (!this.#tells(beganMs ?? now)) return;
    if (this.#state === "half-open") {
      this.#close(now);
      return;
    }
    this.#faultsInARow = 0;
    this.#stallsInARow = 0;
    this.#calls.add(now);
  }

  /** Counts a fault of the node, as the table of failure classes defines it. */
  failed(beganMs?: number, now: MonotonicMs = this.#clock.monotonic()): void {
    const began = beganMs ?? now;
    this.#doubt(began);
    if (!this.#tells(began)) return;
    this.#faultsInARow += 1;
    this.#calls.add(now);
    this.#faults.add(now);
    if (this.#state === "half-open" || this.#isFailing(now)) this.#open(began, now);
  }

  /** A hedged request was answered by another node while this one was still silent. */
  stalled(beganMs?: number): void {
    const now = this.#clock.monotonic();
    const began = beganMs ?? now;
    this.#doubt(began);
    if (!this.#tells(began)) return;
    this.#stallsInARow += 1;
    const isStalling = this.#stallsInARow >= STALLS_IN_A_ROW;
    if (this.#state === "half-open" || isStalling) this.#open(began, now);
  }

  /** When the next probe is due, monotonic milliseconds; Infinity where none is needed. */
  get probeDueAtMs(): number {
    return Math.min(this.#probeDueAtMs, this.#answersSinceMs + ANSWERING_MS);
  }

  /**
   * The time until the next probe runs from here, and is twice as long: one that fails needs no
   * report, and one that is never answered keeps the node out no longer than one that fails.
   */
  probeStarted(now: MonotonicMs): void {
    if (this.#state !== "open") return;
    if (this.#isProbed) this.#openMs = doubled(this.#openMs);
    this.#isProbed = true;
    this.#answersSinceMs = Number.POSITIVE_INFINITY;
    this.#probeDueAtMs = now + doubled(this.#openMs);
  }

  /** The node answered, is of the right chain and has a head. */
  probeSucceeded(): void {
    if (this.#state !== "open") return;
    this.#probeDueAtMs = Number.POSITIVE_INFINITY;
    this.#answersSinceMs = Number.POSITIVE_INFINITY;
    this.#renewedAtMs = this.#clock.monotonic();
    this.#change("half-open");
  }

  /** A call that had nobody else to ask: what began before it opened tells of the node as it was. */
  #answered(beganMs: number, now: MonotonicMs): void {
    if (beganMs < this.#openedAtMs || this.#answersSinceMs <= now) return;
    this.#answersSinceMs = now;
    this.#onSooner?.();
  }

  /** One that failed after the others were answered: the probe has its turn. */
  #doubt(beganMs: number): void {
    if (beganMs >= this.#answersSinceMs) this.#answersSinceMs = Number.POSITIVE_INFINITY;
  }

  #tells(beganMs: number): boolean {
    return this.#state !== "open" && beganMs >= this.#renewedAtMs;
  }

  /** Asked at each fault: a success is no reason to open. */
  #isFailing(now: MonotonicMs): boolean {
    if (this.#faultsInARow >= FAULTS_IN_A_ROW) return true;
    const calls = this.#calls.total(now);
    return calls >= LEAST_CALLS && this.#faults.total(now) * 2 >= calls;
  }

  #close(now: MonotonicMs): void {
    this.#closedAtMs = now;
    this.#faultsInARow = 0;
    this.#stallsInARow = 0;
    this.#calls.clear();
    this.#faults.clear();
    this.#change("closed");
  }

  /** The time runs from when the call began: what it tells, it tells of the node as it was then. */
  #open(beganMs: number, now: MonotonicMs): void {
    const isForgotten = this.#state === "closed" && now - this.#closedAtMs >= FORGET_AFTER_MS;
    this.#openMs = isForgotten ? FIRST_OPEN_MS : doubled(this.#openMs);
    this.#isProbed = false;
    this.#openedAtMs = now;
    this.#probeDueAtMs = Math.max(now, beganMs + this.#openMs);
    this.#change("open");
  }

  #change(state: BreakerState): void {
    this.#state = state;
    this.#onChange?.(state);
  }
}

const doubled = (openMs: number): number => Math.min(openMs * 2, LONGEST_OPEN_MS);

import type { Clock } from "../lib/clock.ts";
import type { Timers } from "../lib/timer-wheel.ts";
import type { FetchOutcome, RoutedNeed, RoutedRequest } from "../upstreams/routing.ts";
import type { Answer } from "./answers.ts";
import type { AnswerWaiter, Plan } from "./network.ts";

export type SharedFlightOptions = {
  readonly key: string;
  readonly hash: number;
  /** Of who asked first. */
  readonly plan: Plan;
  readonly need: RoutedNeed;
  readonly params: string;
  readonly lead: AnswerWaiter;
};

export type SharedFlightParts = {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  /** Nodes have answered, or could not: somebody makes an answer of that, and lets it land. */
  readonly answered: (flight: SharedFlight, outcome: FetchOutcome) => void;
  /** Asks once more, for those who still have time when the flight's own is over. */
  readonly again: (plan: Plan, waiter: AnswerWaiter) => void;
};

type Joined = { readonly plan: Plan; readonly waiter: AnswerWaiter };

/** Less is not worth another attempt. */
const WORTHWHILE_MS = 100;
/** An answer so shortly before the deadline came because of it. */
const LATE_MS = 60;

/** One question to the nodes, and all who asked it while it was in the air. */
export class SharedFlight implements RoutedRequest {
  readonly key: string;
  readonly hash: number;
  readonly plan: Plan;
  readonly need: RoutedNeed;
  readonly params: string;
  /** Of who asked first. */
  readonly deadlineMs: number;
  /** In the table of those in the air. */
  nextInTable: SharedFlight | undefined;
  #lead: AnswerWaiter | undefined;
  readonly #parts: SharedFlightParts;
  #others: Joined[] | undefined;

  /** `key`: what it asks, and `hash`, the key's. */
  constructor(options: SharedFlightOptions, parts: SharedFlightParts) {
    const { key, hash, plan, need, params, lead } = options;
    this.key = key;
    this.hash = hash;
    this.plan = plan;
    this.need = need;
    this.params = params;
    this.deadlineMs = lead.deadlineMs;
    this.#lead = lead;
    this.#parts = parts;
  }

  done(outcome: FetchOutcome): void {
    this.#parts.answered(this, outcome);
  }

  get isShared(): boolean {
    return this.#others !== undefined;
  }

  /** Its answer is this one's too, unless this one's time is over before. */
  join(plan: Plan, waiter: AnswerWaiter): void {
    this.#others ??= [];
    const isInTime = waiter.deadlineMs >= this.deadlineMs;
    this.#others.push({ plan, waiter: isInTime ? waiter : this.#hurried(waiter) });
  }

  /** One that is told within its own time, which ends before the flight's. */
  #hurried(waiter: AnswerWaiter): AnswerWaiter {
    const { deadlineMs } = waiter;
    let isOver = false;
    const end = (answer: Answer) => {
      if (isOver) return;
      isOver = true;
      this.#parts.timers.clear(timer);
      waiter.answered(answer);
    };
    const leftMs = deadlineMs - this.#parts.clock.monotonic();
    const timer = this.#parts.timers.set(Math.max(leftMs, 0), () =>
      end({ kind: "exhausted", internal: "no answer in time" }),
    );
    return { deadlineMs, answered: end };
  }

  /** The answer came. */
  land(answer: Answer): void {
    const others = this.#others;
    const lead = this.#lead;
    this.#lead = undefined;
    this.#others = undefined;
    lead?.answered(answer);
    if (others === undefined) return;
    const now = this.#parts.clock.monotonic();
    const isLate = now >= this.deadlineMs - LATE_MS;
    const ranOut = isLate && (answer.kind === "exhausted" || answer.kind === "behind");
    for (const { plan, waiter } of others) {
      // The time was the first one's: who came later has some left.
      if (ranOut && waiter.deadlineMs - now >= WORTHWHILE_MS) this.#parts.again(plan, waiter);
      else waiter.answered(answer);
    }
  }
}

import type { FailureClass } from "../failures/failure-classes.ts";
import type { Clock, MonotonicMs } from "../lib/clock.ts";
import type { Timers } from "../lib/timer-wheel.ts";
import { inTurns } from "../lib/turn-queue.ts";
import type { FetchOutcome, RoutedNeed, RoutedRequest } from "../routing/routing.ts";
import type { TracedAttempt } from "../telemetry/traces/call-trace.ts";
import { blockNumberIn, isNull } from "../transports/answer-block.ts";
import type { Answer } from "./answers.ts";
import type { AnswerWaiter, Plan } from "./network.ts";

export type SharedFlightOptions = {
  readonly key: string;
  readonly hash: number;
  /** The plan of the first caller. */
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
  /** Asks once more, for all of those whom this answer does not serve. */
  readonly again: (first: Joined, ...others: readonly Joined[]) => void;
};

export type Joined = {
  readonly plan: Plan;
  readonly waiter: AnswerWaiter;
  /** It came when a node may have been asked already. */
  readonly isLate: boolean;
};

/** Less is not worth another attempt. */
const WORTHWHILE_MS = 100;
/** An answer so shortly before the deadline came because of it. */
const LATE_MS = 60;
/** A node says one of these while something is not there yet. */
const UNSETTLED: ReadonlySet<FailureClass> = new Set(["not_found", "block_unknown"]);

/** One question to the nodes, and all who asked it while it was in the air. */
export class SharedFlight implements RoutedRequest {
  readonly key: string;
  readonly hash: number;
  readonly plan: Plan;
  readonly need: RoutedNeed;
  readonly params: string;
  /** The deadline of the first caller. */
  readonly deadlineMs: MonotonicMs;
  readonly account: string;
  readonly keyId: string;
  /** In the table of those in the air. */
  nextInTable: SharedFlight | undefined;
  /** Others may still join it. */
  isOpen = true;
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
    this.account = lead.account;
    this.keyId = lead.keyId;
    this.#lead = lead;
    this.#parts = parts;
  }

  done(outcome: FetchOutcome): void {
    this.#parts.answered(this, outcome);
  }

  /** Nodes are asked for who asked first. */
  attempted(attempt: TracedAttempt): void {
    this.#lead?.attempted?.(attempt);
  }

  get isShared(): boolean {
    return this.#others !== undefined;
  }

  /** Its answer is this one's too, unless this one's time is over before. */
  join(joined: Joined): void {
    this.#others ??= [];
    const isInTime = joined.waiter.deadlineMs >= this.deadlineMs;
    this.#others.push(isInTime ? joined : { ...joined, waiter: this.#hurried(joined.waiter) });
  }

  /** One that is told within its own time, which ends before the flight's. */
  #hurried(waiter: AnswerWaiter): AnswerWaiter {
    const { deadlineMs, account, keyId } = waiter;
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
    const attempted = (attempt: TracedAttempt) => waiter.attempted?.(attempt);
    return { deadlineMs, account, keyId, attempted, answered: end };
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
    const isFound = ranOut || isSettled(this.plan, answer);
    const again: Joined[] = [];
    const served: Joined[] = [];
    for (const joined of others) {
      // The time was the first one's: who came later has some left.
      // Memory is short for who asked first, not for others.
      const isUnserved = ranOut || answer.kind === "no_room" || (joined.isLate && !isFound);
      if (isUnserved && joined.waiter.deadlineMs - now >= WORTHWHILE_MS) again.push(joined);
      else served.push(joined);
    }
    // A result is of the moment: it is told before anything else may be.
    if (answer.kind === "result") for (const { waiter } of served) waiter.answered(answer);
    else inTurns(served, ({ waiter }) => waiter.answered(answer));
    const [first, ...rest] = again;
    if (first !== undefined) this.#parts.again(first, ...rest);
  }
}

/** Whether a node that is asked later would say the same: it has found what was asked for, in a block. */
function isSettled({ definition }: Plan, answer: Answer): boolean {
  if (answer.kind === "failure") return !UNSETTLED.has(answer.failure.class);
  if (answer.kind !== "result") return true;
  const { answerBlock, lookup } = definition;
  if (lookup === undefined) return true;
  if (isNull(answer.result)) return false;
  return answerBlock === undefined || blockNumberIn(answer.result, answerBlock) !== undefined;
}

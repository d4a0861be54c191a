import type { Failure } from "../failures/failures.ts";
import type { Piece } from "../lib/bytes.ts";
import type { Clock, MonotonicMs } from "../lib/clock.ts";
import type { Timers } from "../lib/timer-wheel.ts";
import type { TracedAttempt } from "../telemetry/traces/call-trace.ts";
import type { BlockMember } from "../transports/answer-block.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import type { AttemptBudget } from "./attempt-budget.ts";
import type { RecentQuantile } from "./quantile.ts";
import type { Need } from "./selection.ts";

/** The need of a call, and how an answer to it is to be read. */
export type RoutedNeed = Need & {
  /** Whether null says that something was not found. */
  readonly lookup: boolean;
  /** Null would contradict the head: a block up to it is asked for by its number. */
  readonly exists: boolean;
  /** Null is what to expect: a block above the head is asked for. */
  readonly future: boolean;
  /** Another method is asked where a node does not have this one. */
  readonly hasInstead?: boolean;
  /** The member of the result that names its block, where that is not known before. */
  readonly answerBlock: BlockMember | undefined;
  /** Whether the plan lets a partner answer where no primary can. */
  readonly partner: boolean;
};

/** One call to be answered by any of a network's upstreams. */
export type RoutedRequest = {
  readonly need: RoutedNeed;
  /** JSON text of the positional params, in ASCII. */
  readonly params: string;
  /** For all attempts together, monotonic milliseconds. */
  readonly deadlineMs: MonotonicMs;
  /** On whose behalf memory is held for the answer; absent: for the gateway itself. */
  readonly account?: string;
  readonly keyId?: string;
  /** Told of each attempt before it is sent. */
  attempted?(attempt: TracedAttempt): void;
  /** Called once, before the deadline. */
  done(outcome: FetchOutcome): void;
};

export type FetchOutcome =
  | {
      readonly kind: "result";
      readonly result: readonly Piece[];
      readonly upstream: Upstream;
      /** When it was asked. */
      readonly askedMs: MonotonicMs;
    }
  | { readonly kind: "failure"; readonly failure: Failure; readonly upstream: string }
  | { readonly kind: "too_large"; readonly upstream: string }
  /** Its owner holds so much that there was no memory for the answer. */
  | { readonly kind: "no_room" }
  /** Nobody has the block that the call needs. */
  | { readonly kind: "behind" }
  /** Nobody answered. `internal` tells of each attempt, for the log. */
  | { readonly kind: "exhausted"; readonly internal: string };

/** Told of what an operator wants to see of routing. */
export type RoutingObserver = {
  /** `upstream`: the slow one, beside which another was asked. */
  readonly hedged: (upstream: string, outcome: "won" | "lost" | "failed") => void;
  readonly retried: () => void;
  readonly partner: (outcome: "asked" | "capped") => void;
  readonly contradicted: (upstream: string) => void;
};

export type RouterParts = {
  readonly upstreams: readonly Upstream[];
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  /** 0 to 1, evenly. */
  readonly random: () => number;
  /** Counts a call of a partner, where the caps allow one more; answers within the time. */
  readonly askCaps: (timeoutMs: number, done: (allowed: boolean) => void) => void;
  readonly observer: RoutingObserver;
  /** Checks the chain id of an upstream that was never reached; `done` is called once. */
  readonly verify: (upstream: Upstream, timeoutMs: number, done: () => void) => void;
  /** An answer shows that this upstream has the block. */
  readonly seen: (upstream: Upstream, block: number) => void;
};

/** The parts that the flights of one network share. */
export type FlightParts = RouterParts & {
  readonly primaries: readonly Upstream[];
  readonly partners: readonly Upstream[];
  readonly latency: RecentQuantile;
  readonly hedges: AttemptBudget;
  /** For attempts after one whose time ran out. */
  readonly retries: AttemptBudget;
  /** Calls that wait for a node to get a block. */
  readonly waiting: Set<{ readonly wake: () => void }>;
};

import type { MonotonicMs } from "../lib/clock.ts";
import type { UpstreamAnswer } from "../transports/upstream-answer.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import { isFault, type Verdict } from "../upstreams/verdict.ts";
import type { Need } from "./selection.ts";

/** A fault costs the call another attempt: a node that fails fast must not look like a fast one. */
const LEAST_FAULT_MS = 100;

export type Lesson = {
  readonly need: Need;
  readonly answer: UpstreamAnswer;
  readonly verdict: Verdict;
  readonly beganMs: number;
  readonly tookMs: number;
  /** Monotonic: when it came. */
  readonly now: MonotonicMs;
};

/**
 * Learns from an answer about the node that gave it, whatever becomes of the call: its health, its
 * speed, what it lacks. A contract's own failure says nothing against the node that ran it.
 */
export function learn(
  upstream: Upstream,
  { need, answer, verdict, beganMs, tookMs, now }: Lesson,
): void {
  const { abilities, allowance, breaker, latency } = upstream;
  if (isFault(verdict)) {
    upstream.lastError.noteAnswer(verdict, answer);
    breaker.failed(beganMs, now);
    latency.record(Math.max(tookMs, LEAST_FAULT_MS), now);
    return;
  }
  if (verdict.kind === "stale" || verdict.kind === "no_place") return;
  // Its head is worth waiting for, although it was last asked for that in vain.
  upstream.isReached = true;
  latency.record(tookMs, now);
  // Null may turn out to be wrong once another node finds what this one did not.
  if (verdict.kind !== "null") breaker.succeeded(beganMs, now);
  if (verdict.kind === "result" && need.depth >= 0) abilities.hasState(need.depth);
  if (verdict.kind !== "failure") return;
  switch (verdict.failure.class) {
    case "rate_limited":
      upstream.lastError.noteAnswer(verdict, answer);
      allowance.limited("retryAfterMs" in answer ? answer.retryAfterMs : undefined);
      return;
    case "method_unknown":
      abilities.foundLacking(need.method);
      return;
    case "missing_state":
      if (need.depth >= 0) abilities.missedState(need.depth);
      return;
    default:
  }
}

import type { Piece } from "../lib/bytes.ts";
import type { MonotonicMs } from "../lib/clock.ts";
import type { UpstreamAnswer } from "../transports/upstream-answer.ts";
import { isFault, labelOf, type Verdict } from "../upstreams/verdict.ts";
import type { FlightAttempt } from "./flight-attempt.ts";
import { learn } from "./learn.ts";
import type { FetchOutcome, FlightParts } from "./routing.ts";

export type Conclusion = {
  readonly answer: UpstreamAnswer;
  readonly verdict: Verdict;
  /** Monotonic: when it came. */
  readonly now: MonotonicMs;
};

/** Ends an attempt that was answered: its upstream learns what the answer tells of it. */
export function conclude(
  sent: FlightAttempt,
  { answer, verdict, now }: Conclusion,
  { latency }: Pick<FlightParts, "latency">,
): void {
  const { upstream, beganMs } = sent;
  const { need } = sent.request;
  const tookMs = upstream.end(sent, labelOf(verdict), now);
  learn(upstream, { need, answer, verdict, tookMs, beganMs, now });
  const wasAsked = verdict.kind !== "no_place" && !isFault(verdict);
  if (upstream.role === "primary" && wasAsked) latency.record(tookMs, now);
}

/** A result shows, too, that its node has the block, which nobody may have known. */
export function resultOf(
  { upstream, request, beganMs }: FlightAttempt,
  result: readonly Piece[],
  { seen }: Pick<FlightParts, "seen">,
): FetchOutcome {
  const { need } = request;
  if (need.block > upstream.head && need.partial !== true) seen(upstream, need.block);
  return { kind: "result", result, upstream, askedMs: beganMs };
}

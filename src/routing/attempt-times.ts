import type { Upstream } from "../upstreams/upstream.ts";
import type { FlightParts, RoutedNeed } from "./routing.ts";
import { isAnyLeft, TIER } from "./selection.ts";

/** Time in which an attempt cannot succeed any more: it is not begun. */
export const LEAST_ATTEMPT_MS = 20;
/** A second request sooner than this would race answers that are on their way. */
const LEAST_HEDGE_MS = 10;
const LEAST_SECOND_OPINION_MS = 200;

export type AttemptOrder = {
  readonly upstream: Upstream;
  readonly need: RoutedNeed;
  /** Those that were asked already, this one among them. */
  readonly asked: readonly Upstream[];
  /** Others than those primaries that look well now: partners, for example. */
  readonly mayAskOthers: boolean;
  /** For all attempts together. */
  readonly leftMs: number;
};

/**
 * The time of an attempt: at most half of what is left where somebody else could still be asked, or a primary that
 * has to show its chain: by then it may have done so.
 */
export function attemptMs(
  { upstream, need, asked, mayAskOthers, leftMs }: AttemptOrder,
  { primaries, partners }: Pick<FlightParts, "primaries" | "partners">,
): number {
  const without = asked;
  const others =
    upstream.role === "primary"
      ? mayAskOthers ||
        isAnyLeft(primaries, { need, worst: TIER.troubled, without }) ||
        primaries.some((one) => !without.includes(one) && one.state === "not reached yet")
      : isAnyLeft(partners, { need, worst: TIER.behind, without });
  return others ? leftMs / 2 : leftMs;
}

/** How long the answer at hand waits for a second node that may know more. */
export function secondOpinionMs(p95Ms: number | undefined): number {
  return Math.max(2 * (p95Ms ?? 0), LEAST_SECOND_OPINION_MS);
}

/**
 * When an attempt takes longer than most of the network's calls, so that another is begun beside
 * it; undefined: it is not, since there is no time for it, or nothing is known yet.
 */
export function hedgeMs(p95Ms: number | undefined, leftMs: number): number | undefined {
  if (p95Ms === undefined) return undefined;
  const delayMs = Math.max(p95Ms, LEAST_HEDGE_MS);
  return delayMs < leftMs / 2 ? delayMs : undefined;
}

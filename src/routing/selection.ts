import type { MonotonicMs } from "../lib/clock.ts";
import type { Upstream } from "../upstreams/upstream.ts";

/** The need of a call, which chooses the node that answers it. */
export type Need = {
  readonly method: string;
  /** The block that it has to have; -1: any node will do. */
  readonly block: number;
  /** An answer of a node that is not known to have the block would prove nothing. */
  readonly strict: boolean;
  /** A node without the block answers too, with what it has: logs, and `pending`. */
  readonly partial?: boolean;
  /** How far behind the head the state lies that is needed; -1: none. */
  readonly depth: number;
  /** The network's own head; -1: not known yet. */
  readonly head: number;
  /** A node that is at most this far behind the head keeps up: blocks take time to travel. */
  readonly slack: number;
};

/**
 * How well an upstream fits a call; lower is better, and those of one tier share the calls by
 * cost. From `poor` on it is asked only where nobody better is left.
 */
export const TIER = Object.freeze({
  /** Healthy, with the block, its state and the method. */
  best: 0,
  /** Healthy and with the block, but behind the network. */
  lagging: 1,
  /** Never reached yet, or seen to lack the method or the state. */
  poor: 2,
  /** Its breaker is open, or it asked for fewer calls. */
  troubled: 3,
  /** Behind the block: what it does not find may exist. */
  behind: 4,
  never: 5,
});

function tierOf(upstream: Upstream, need: Need): number {
  if (upstream.drained || upstream.isUsedUp || upstream.chain === "wrong") return TIER.never;
  const { breaker, allowance, abilities } = upstream;
  if (upstream.isForked || upstream.head < need.block) {
    // A partner's head is not known before an outage has lasted for a while.
    const isUnknown = upstream.role === "partner" && upstream.head < 0;
    const isUseless = need.strict || (need.partial === true && !isUnknown);
    // Blocks that it finds above may be dead, and so may one that is looked for by a hash.
    const isDead = upstream.forkedAfter < (need.block < 0 ? Number.POSITIVE_INFINITY : need.block);
    return isUseless || isDead ? TIER.never : TIER.behind;
  }
  if (!breaker.isFree || allowance.isLimited()) return TIER.troubled;
  if (upstream.chain === "unknown" || abilities.lacks(need.method)) return TIER.poor;
  if (need.depth >= 0 && !abilities.keepsState(need.depth)) return TIER.poor;
  return upstream.head + need.slack < need.head ? TIER.lagging : TIER.best;
}

export type Choice = { readonly upstream: Upstream; readonly tier: number };

export type Selection = {
  readonly need: Need;
  /** The worst tier that may be asked. */
  readonly worst: number;
  readonly without: readonly Upstream[];
  /** 0 to 1, evenly. */
  readonly random: () => number;
  /** Monotonic milliseconds. */
  readonly now: MonotonicMs;
};

/**
 * The upstream for the next attempt: of the best tier, by the power of two choices on expected
 * cost, which spreads a load without herding it onto whoever was fastest a moment ago.
 * Undefined where none is eligible.
 */
export function choose(
  upstreams: readonly Upstream[],
  { need, worst, without, random, now }: Selection,
): Choice | undefined {
  let best = worst;
  let count = 0;
  let first: Upstream | undefined;
  let second: Upstream | undefined;
  for (const upstream of upstreams) {
    const tier = tierOf(upstream, need);
    if (tier > best || without.includes(upstream)) continue;
    if (tier < best || count === 0) {
      best = tier;
      count = 1;
      first = upstream;
      second = undefined;
      continue;
    }
    count += 1;
    // Two places, each candidate equally likely to be in them (reservoir sampling).
    if (count === 2) second = upstream;
    else {
      const place = Math.floor(random() * count);
      if (place === 0) first = upstream;
      else if (place === 1) second = upstream;
    }
  }
  if (first === undefined) return undefined;
  if (second === undefined) return { upstream: first, tier: best };
  const difference = first.cost(now) - second.cost(now);
  const isFirst = difference === 0 ? random() < 0.5 : difference < 0;
  return { upstream: isFirst ? first : second, tier: best };
}

/** Whether `choose` would find one. */
export function isAnyLeft(
  upstreams: readonly Upstream[],
  { need, worst, without }: Pick<Selection, "need" | "worst" | "without">,
): boolean {
  for (const upstream of upstreams) {
    if (!without.includes(upstream) && tierOf(upstream, need) <= worst) return true;
  }
  return false;
}

import type { MonotonicMs } from "../../lib/clock.ts";
import { type BlockHeader, isHealthy, type TrackedUpstream } from "../tracked-upstream.ts";
import type { Join } from "./header-tree.ts";

/** A node that is at most this far behind keeps up: blocks take time to travel. */
export const KEEPS_UP_BLOCKS = 5;
/** A head that a node told longer ago says nothing of where the network is. */
const PRESENT_MS = 30_000;

/** The heads that one upstream told. */
export type Standing = {
  readonly upstream: TrackedUpstream;
  /** Its own head, as it last told. */
  tip: BlockHeader | undefined;
  /** When it was asked for that; undefined where it told by itself. */
  askedMs: number | undefined;
  /** The last block that it told of by itself, and when. */
  told: { readonly block: BlockHeader; readonly atMs: MonotonicMs } | undefined;
  /** The highest block of the network's chain that it is known to have. */
  proven: number;
  /** When it last told a head, and when it last showed its highest block. */
  reportedMs: number;
  sightedMs: number;
  /** When it last told of a head that does not follow the one before. */
  turnedMs: number | undefined;
  /** It was once known where its head leaves the network's chain, if it does. */
  wasJoined: boolean;
  /** Its head was a block of the network's chain once. */
  wasLinked: boolean;
  join: Join | undefined;
  /** The last block of both forks, as far as listeners were told of it; Infinity: it is on no other. */
  toldAfter: number;
  /** Heads of which it was not known how they join the chain when it told of them. */
  strays: BlockHeader[];
};

export function newStanding(upstream: TrackedUpstream): Standing {
  return {
    upstream,
    tip: undefined,
    askedMs: undefined,
    told: undefined,
    proven: -1,
    reportedMs: Number.NEGATIVE_INFINITY,
    sightedMs: Number.NEGATIVE_INFINITY,
    turnedMs: undefined,
    wasJoined: false,
    wasLinked: false,
    join: undefined,
    toldAfter: Number.POSITIVE_INFINITY,
    strays: [],
  };
}

/** Nothing is known of it any more. */
export function resetStanding(standing: Standing): void {
  const { upstream } = standing;
  Object.assign(standing, newStanding(upstream));
  upstream.head = -1;
  upstream.isForked = false;
  upstream.forkedAfter = Number.POSITIVE_INFINITY;
}

/**
 * Until a node has shown its chain again, it may be another one that answers there: what was told before is no word of
 * that, also once its chain is right.
 */
export function forgetOther(standing: Standing): void {
  if (standing.upstream.chain === "right" || standing.tip === undefined) return;
  standing.tip = undefined;
  standing.told = undefined;
  standing.proven = -1;
  standing.join = undefined;
}

/**
 * Notes a block that a node told of by itself. False for an answer that is at odds with such a block which came since it was
 * asked for: either of the two may be newer.
 */
export function isInTurn(
  standing: Standing,
  block: BlockHeader,
  { askedMs, now }: { readonly askedMs: number | undefined; readonly now: MonotonicMs },
): boolean {
  if (askedMs === undefined) {
    standing.told = { block, atMs: now };
    return true;
  }
  const { told } = standing;
  return told === undefined || told.atMs < askedMs || !areAtOdds(block, told.block);
}

/** Whether a block and another one, as high or the next, cannot be of one chain. */
function areAtOdds(block: BlockHeader, other: BlockHeader): boolean {
  if (block.number === other.number) return block.hash !== other.hash;
  return block.number === other.number - 1 && block.hash !== other.parentHash;
}

/** Those whose word counts: healthy primaries; while there is none, partners that were asked lately. */
export function voices(standings: readonly Standing[], now: MonotonicMs): readonly Standing[] {
  const healthy = standings.filter(({ tip, upstream }) => tip !== undefined && isHealthy(upstream));
  const primaries = healthy.filter(({ upstream }) => upstream.role === "primary");
  if (primaries.length > 0) return primaries;
  return healthy.filter(({ reportedMs }) => now - reportedMs <= PRESENT_MS);
}

/** The highest head of those that were joined to the chain; -1: none. */
export function highest(standings: readonly Standing[]): number {
  return standings.reduce((top, { wasJoined, upstream }) => {
    return wasJoined ? Math.max(top, upstream.head) : top;
  }, -1);
}

/**
 * Primaries that were healthy a moment ago count too: one that was restarted empty must not decide
 * what the chain is because the others have hiccups.
 */
export function present(standings: readonly Standing[], now: MonotonicMs): readonly Standing[] {
  return standings.filter(({ upstream, reportedMs }) => {
    if (upstream.role !== "primary" || upstream.chain !== "right" || upstream.drained) return false;
    return upstream.breaker.state !== "open" || now - reportedMs <= PRESENT_MS;
  });
}

export function isBehind(upstream: TrackedUpstream, top: number): boolean {
  return upstream.head + KEEPS_UP_BLOCKS < top;
}

/** In the order in which they decide between forks: as configured, those that lag last. */
export function inOrder(heard: readonly Standing[]): readonly Standing[] {
  const top = highest(heard);
  const lagging = heard.filter(({ upstream }) => isBehind(upstream, top));
  if (lagging.length === 0) return heard;
  return [...heard.filter(({ upstream }) => !isBehind(upstream, top)), ...lagging];
}

/** The highest block that `confirmations` of them have, or all where they are fewer; -1: none. */
export function confirmedBlock(heard: readonly Standing[], confirmations: number): number {
  const proven = heard.filter(({ upstream }) => !upstream.isForked).map((one) => one.proven);
  proven.sort((a, b) => b - a);
  return proven[Math.min(confirmations, proven.length) - 1] ?? -1;
}

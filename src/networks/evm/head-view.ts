import type { Clock, MonotonicMs } from "../../lib/clock.ts";
import type { Timers } from "../../lib/timer-wheel.ts";
import { Overdue } from "../overdue.ts";
import { type BlockHeader, isHealthy, type TrackedUpstream } from "../tracked-upstream.ts";
import { chooseAmong, MOST_PASSES, markForks } from "./fork-choice.ts";
import { ForkJoins } from "./fork-joins.ts";
import { type HeadListener, HeadListeners } from "./head-listeners.ts";
import { HeaderTree } from "./header-tree.ts";
import { type Head, headAt, PrimaryHead } from "./primary-head.ts";
import { ShownBlocks } from "./shown-blocks.ts";
import {
  confirmedBlock,
  forgetOther,
  isInTurn,
  newStanding,
  resetStanding,
  type Standing,
  voices,
} from "./standing.ts";

/** docs/decisions.md, "Heads": so long the head stays although no healthy node has it. */
const FALL_BACK_MS = 30_000;

export type HeadViewOptions = {
  /** Healthy primaries that must have a head before it is the network's. */
  readonly confirmations: number;
};

export type HeadViewParts = {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  /** In the order of the configuration. */
  readonly upstreams: readonly TrackedUpstream[];
};

/**
 * A network's own head: the highest block that enough healthy primaries have. It never goes back
 * save in a reorganisation, which listeners are told of. All changes are made synchronously.
 */
export class HeadView {
  readonly #tree = new HeaderTree();
  readonly listeners = new HeadListeners();
  readonly forks = new ForkJoins({
    tree: this.#tree,
    standingOf: (upstream) => this.#byUpstream.get(upstream),
    changed: () => this.refresh(),
  });
  #shown = new ShownBlocks(this.#tree.chain);
  /** In the order of the configuration. */
  readonly standings: readonly Standing[];
  readonly #byUpstream: ReadonlyMap<TrackedUpstream, Standing>;
  readonly #confirmations: number;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #lost: Overdue;
  /** Where there are partners: else it is the head. */
  readonly #primaries: PrimaryHead | undefined;
  #head: Head | undefined;

  constructor({ confirmations }: HeadViewOptions, { clock, timers, upstreams }: HeadViewParts) {
    this.#confirmations = confirmations;
    this.#clock = clock;
    this.#lost = new Overdue(FALL_BACK_MS, { clock, timers, over: () => this.refresh() });
    this.standings = upstreams.map(newStanding);
    this.#byUpstream = new Map(this.standings.map((one) => [one.upstream, one]));
    if (upstreams.some(({ role }) => role === "partner")) this.#primaries = new PrimaryHead();
  }

  get head(): Head | undefined {
    return this.#head;
  }

  /** As primaries have shown it: lower than the head where partners have told of more since. */
  get shownHead(): Head | undefined {
    return this.#primaries === undefined ? this.#head : this.#primaries.head;
  }

  /** The highest block that a primary has shown to be of the network's chain; -1: none. */
  get shownBlock(): number {
    return this.#primaries?.newest ?? this.#head?.number ?? -1;
  }

  /** The highest block that any node told of on the network's chain, confirmed or not; -1: none. */
  get newest(): number {
    return Math.max(this.#tree.chain.tip?.number ?? -1, this.#head?.number ?? -1);
  }

  get newestHeader(): BlockHeader | undefined {
    return this.#tree.chain.tip;
  }

  get hasHealthyPrimary(): boolean {
    return this.standings.some(
      ({ tip, upstream: one }) => one.role === "primary" && tip !== undefined && isHealthy(one),
    );
  }

  /** The newest block, up to the head, whose hash is known; -1: none. */
  get newestHashed(): number {
    return Math.min(this.#head?.number ?? -1, this.#tree.chain.tip?.number ?? -1);
  }

  /**
   * Whether the last head that this upstream told of is on the network's chain, at `number` or above, and so were
   * those before since then: what it was asked on another branch may be answered once it has told of this one.
   * A partner is believed until it is asked for its head, which is done in a long outage only.
   */
  hasTold(upstream: TrackedUpstream, number: number, sinceMs: MonotonicMs): boolean {
    const { tip, turnedMs } = this.#byUpstream.get(upstream) ?? {};
    if (tip === undefined) return upstream.role === "partner";
    const isSince = turnedMs === undefined || turnedMs <= sinceMs;
    return tip.number >= number && isSince && this.#tree.chain.has(tip);
  }

  /** The hash of a block of the network's chain, up to the head; undefined if it is not known. */
  hashOf(number: number): string | undefined {
    return number <= (this.#head?.number ?? -1) ? this.#tree.chain.at(number)?.hash : undefined;
  }

  /** `hash` in lower case; undefined for what is not known as a block of the network's chain. */
  numberOf(hash: string): number | undefined {
    const number = this.#tree.numberOf(hash);
    return number !== undefined && number <= (this.#head?.number ?? -1) ? number : undefined;
  }

  /** The head that this upstream last told of itself. */
  tipOf(upstream: TrackedUpstream): BlockHeader | undefined {
    return this.#byUpstream.get(upstream)?.tip;
  }

  /** The header of the head; undefined while only an answer has shown that the block exists. */
  get headHeader(): BlockHeader | undefined {
    return this.#tree.chain.at(this.#head?.number ?? -1);
  }

  /** Whether the block comes as no surprise: of the chain, or soon to be. */
  fits(block: BlockHeader): boolean {
    return this.#tree.fits(block);
  }

  /** A node's own head; an older answer does not undo what it has shown since. False: it has to be asked again. */
  report(upstream: TrackedUpstream, block: BlockHeader, askedMs?: number): boolean {
    const standing = this.#byUpstream.get(upstream);
    if (standing === undefined) return true;
    const now = this.#clock.monotonic();
    if (!isInTurn(standing, block, { askedMs, now })) return false;
    const [isCanonical, before] = [this.#tree.chain.has(block), standing.tip];
    this.#tree.add(block);
    standing.tip = block;
    if (askedMs !== undefined || before?.hash !== block.hash) standing.askedMs = askedMs;
    standing.reportedMs = now;
    const isNews = askedMs === undefined ? !isCanonical : askedMs > standing.sightedMs;
    // Its blocks of another fork say nothing of the chain that it has come back to.
    const hasLeft = before !== undefined && !this.#tree.chain.has(before);
    if (block.number >= upstream.head || isNews || !isCanonical || hasLeft) {
      upstream.head = block.number;
      standing.sightedMs = askedMs ?? now;
    }
    this.refresh();
    const { chain } = this.#tree;
    const goesOn = block.parentHash === before?.hash || block.hash === before?.hash;
    const isOnChain = before !== undefined && chain.has(before) && chain.has(block);
    if (!goesOn && !(isOnChain && block.number > before.number)) standing.turnedMs = now;
    return true;
  }

  /**
   * An answer shows that this upstream has the block, and maybe its hash. Returns whether that
   * contradicts what is known of the chain.
   */
  seen(upstream: TrackedUpstream, number: number, hash?: string): boolean {
    const before = this.#head?.number ?? -1;
    this.#raise(upstream, number);
    const head = this.#head?.number ?? -1;
    if (number > head || (hash === undefined && head === before)) return false;
    return !this.#shown.show(number, hash);
  }

  #raise(upstream: TrackedUpstream, number: number): void {
    if (number <= upstream.head) return;
    const standing = this.#byUpstream.get(upstream);
    if (standing === undefined) return;
    upstream.head = number;
    standing.sightedMs = this.#clock.monotonic();
    if (standing.tip !== undefined) this.refresh();
  }

  /** Whether a block is of the network's chain; undefined where that is not known. */
  isOurs(block: BlockHeader): boolean | undefined {
    return this.#tree.isOurs(block);
  }

  /** Returns what ends it. */
  subscribe(listener: HeadListener): () => void {
    return this.listeners.add(listener);
  }

  stop(): void {
    this.#lost.reset();
  }

  /** The known blocks are of another chain than the network's: nothing of them holds. */
  startOver(): void {
    const from = this.#head?.number ?? -1;
    this.#tree.clear();
    this.#shown = new ShownBlocks(this.#tree.chain);
    this.standings.forEach(resetStanding);
    this.stop();
    this.#head = undefined;
    if (from >= 0) this.listeners.tell({ kind: "reorg", commonAncestor: -1, from, to: -1 });
  }

  /** Looks again who counts: an upstream's health, chain or use has changed. */
  refresh(): void {
    const now = this.#clock.monotonic();
    const before = this.#head?.number ?? -1;
    this.standings.forEach(forgetOther);
    const heard = voices(this.standings, now);
    const kept = this.#replace(heard, now);
    const doubted = markForks(this.#tree, this.standings);
    const confirmed = confirmedBlock(heard, this.#confirmations);
    const least = Math.max(confirmed, Math.min(before, kept));
    // On a chain that has nothing of the old one, one node is enough to begin with.
    const to = least < 0 && before >= 0 ? (this.#tree.chain.tip?.number ?? -1) : least;
    this.#settle(to, Math.min(kept, doubted), heard);
    this.#watch(heard);
  }

  /** Returns the block above which what listeners were told of was replaced; Infinity: nothing was. */
  #replace(heard: readonly Standing[], now: MonotonicMs): number {
    const before = this.#head?.number ?? -1;
    let kept = Number.POSITIVE_INFINITY;
    // A node that lagged behind a height of the old chain may decide once that height is forgotten.
    for (let pass = 0; pass < MOST_PASSES; pass += 1) {
      const end = this.#tree.chain.tip?.number ?? -1;
      const replaced = chooseAmong(this.#tree, this.standings, { heard, now });
      // Blocks that nobody was told of yet are replaced silently.
      if (replaced >= Math.min(before, end)) break;
      kept = Math.min(kept, replaced);
      this.#forget(kept);
    }
    return kept;
  }

  /** Facts about blocks above do not hold on the chain as it is now. */
  #forget(kept: number): void {
    this.#primaries?.replaced(kept);
    for (const standing of this.standings) {
      standing.proven = Math.min(standing.proven, kept);
      standing.join = undefined;
      // Answers may have shown replaced blocks above it.
      const { tip, upstream } = standing;
      if (tip === undefined || tip.number <= kept) upstream.head = Math.min(upstream.head, kept);
    }
  }

  #settle(to: number, commonAncestor: number, heard: readonly Standing[]): void {
    const from = this.#head?.number ?? -1;
    const { chain } = this.#tree;
    if (to < 0 || chain.tip === undefined) return;
    this.#head = headAt(chain, to, this.#head);
    const isNews = this.#primaries?.follow(chain, heard, this.#confirmations) === true;
    // An answer may have shown a block that was replaced before any node told of it.
    const hashed = Math.min(to, chain.tip.number);
    const kept = Math.min(commonAncestor, this.#shown.settle(from, hashed));
    if (kept < from) {
      this.#shown.clear();
      this.listeners.tell({ kind: "reorg", commonAncestor: kept, from, to });
    } else if (to > from || isNews) this.listeners.tell({ kind: "advance", from, to });
  }

  /** A head that no healthy node has is given up after a while. */
  #watch(heard: readonly Standing[]): void {
    const head = this.#head?.number ?? -1;
    const isHeld = heard.some(({ proven, upstream }) => !upstream.isForked && proven >= head);
    if (isHeld || head < 0) this.#lost.reset();
    else if (this.#lost.isOver()) this.#fall(heard);
  }

  /** To the highest block that one of them has; none of those on the chain: to another chain. */
  #fall(heard: readonly Standing[]): void {
    const { chain } = this.#tree;
    const ours = heard.filter(({ upstream }) => !upstream.isForked).map(({ proven }) => proven);
    const lower = Math.max(...ours, -1);
    if (lower >= chain.oldest) {
      this.#lost.reset();
      chain.truncate(lower);
      this.#forget(lower);
      this.#settle(lower, lower, heard);
      return;
    }
    const [other] = heard.flatMap(({ tip }) => tip ?? []).sort((a, b) => b.number - a.number);
    if (other === undefined) return;
    this.#lost.reset();
    chain.restart([other]);
    this.#forget(-1);
    markForks(this.#tree, this.standings);
    this.#settle(other.number, -1, heard);
  }
}

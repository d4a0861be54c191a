import type { Clock, MonotonicMs } from "../../lib/clock.ts";
import type { Timer, Timers } from "../../lib/timer-wheel.ts";
import { CHAIN_ID, ChainIdentity, type WarningLog } from "../chain-identity.ts";
import { isHealthy, type TrackedUpstream } from "../tracked-upstream.ts";
import { ChainLinker } from "./chain-linker.ts";
import type { HeadView } from "./head-view.ts";
import { Poller } from "./poller.ts";
import { Tag, type TagName } from "./tags.ts";
import { silentMs, UpstreamWatch } from "./upstream-watch.ts";

/** Nobody tells when an operator takes an upstream out of use, or back in. */
const LOOK_AGAIN_MS = 1000;
/** A partner that is needed is asked for its head again after a block, and after this at least. */
const LEAST_PARTNER_MS = 1000;

export type HeadTrackerOptions = {
  /** Where it is not configured, the first primary that answers says it; until then a partner. */
  readonly chainId?: number | undefined;
};

export type HeadTrackerParts = {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly upstreams: readonly TrackedUpstream[];
  readonly view: HeadView;
  readonly log: WarningLog;
};

/**
 * Feeds a network's head view: from the nodes that tell of new blocks by themselves, and by polls
 * of the others, at most one for each upstream and block. Checks chain ids, and probes the nodes
 * whose breaker is open. Partners are asked only on demand.
 */
export class HeadTracker {
  readonly #parts: HeadTrackerParts;
  readonly #identity: ChainIdentity<number>;
  readonly #linker: ChainLinker;
  readonly #poller: Poller;
  readonly #primaries: readonly UpstreamWatch[];
  readonly #partners: readonly UpstreamWatch[];
  readonly #tags: Readonly<Record<TagName, Tag>>;
  readonly #unsubscribe: () => void;
  #isRunning = false;
  #isTicking = false;
  #mustTick = false;
  #timer: Timer | undefined;
  /** When the network's head last changed. */
  #movedMs = Number.NEGATIVE_INFINITY;

  constructor({ chainId }: HeadTrackerOptions, parts: HeadTrackerParts) {
    const { clock, timers, upstreams, view, log } = parts;
    this.#parts = parts;
    this.#identity = new ChainIdentity(CHAIN_ID, chainId, {
      log,
      refuted: () => this.#startOver(),
    });
    const watches = upstreams.map(
      (upstream) =>
        new UpstreamWatch(upstream, {
          clock,
          timers,
          view,
          identity: this.#identity,
          blockTimeMs: () => this.blockTimeMs,
          changed: (one) => this.#changed(one),
        }),
    );
    this.#primaries = watches.filter((watch) => watch.upstream.role === "primary");
    this.#poller = new Poller({ clock, view, watches: this.#primaries });
    this.#partners = watches.filter((watch) => watch.upstream.role === "partner");
    this.#linker = new ChainLinker({
      clock,
      view,
      upstreams,
      asked: (one) => this.#charge(one),
      left: (one) => this.#repeat(one),
    });
    this.#tags = {
      safe: new Tag("safe", { view, upstreams, timers }),
      finalized: new Tag("finalized", { view, upstreams, timers }),
    };
    this.#unsubscribe = view.subscribe(() => {
      this.#movedMs = clock.monotonic();
      this.#tick();
    });
  }

  /** The network's chain id, or what a partner said while no primary has told it. */
  get chainId(): number | undefined {
    return this.#identity.assumed;
  }

  /** The same without partners: configured, or told by a primary. */
  get shownChainId(): number | undefined {
    return this.#identity.expected;
  }

  /** As measured; a second at first. */
  get blockTimeMs(): number {
    return this.#poller.blockTimeMs;
  }

  start(): void {
    this.#isRunning = true;
    for (const watch of this.#primaries) watch.listen();
    this.#tick();
  }

  stop(): void {
    this.#isRunning = false;
    this.#unsubscribe();
    if (this.#timer !== undefined) this.#parts.timers.clear(this.#timer);
    for (const { upstream } of this.#primaries) upstream.heads?.stop();
    this.#parts.view.stop();
  }

  /** A client uses the head: new blocks are looked for sooner, for a while. */
  touch(): void {
    if (this.#poller.used()) this.#tick();
  }

  /** A client has seen a block that is not known here yet: nodes that wait for their poll may have it. */
  seek(): void {
    this.#seek(false);
  }

  /** Workers differ about the newest blocks: also nodes that tell by themselves have to say which hold. */
  settle(): void {
    this.#seek(true);
  }

  #seek(all: boolean): void {
    const now = this.#parts.clock.monotonic();
    for (const watch of this.#primaries) {
      if (isHealthy(watch.upstream) && (all || watch.silentAtMs <= now)) watch.seek();
    }
  }

  /** An answer of it shows another block than is known: its head is asked for. */
  doubt(upstream: TrackedUpstream): void {
    // A partner's calls are paid for.
    if (upstream.role === "primary") this.#watchOf(upstream)?.doubt();
  }

  /** The view was told of a head of this upstream by somebody else. */
  reported(upstream: TrackedUpstream): void {
    this.#changed(upstream);
  }

  /** An upstream's breaker, or its use, has changed. */
  refresh(): void {
    this.#tick();
  }

  /** Its connection broke: who answers there next has to show the right chain id first. */
  recheck(upstream: TrackedUpstream): void {
    this.#watchOf(upstream)?.recheck();
  }

  /** `done` is called once, within the time, when the chain is known or cannot be found out. */
  verify(upstream: TrackedUpstream, timeoutMs: number, done: () => void): void {
    const watch = this.#watchOf(upstream);
    if (watch === undefined) done();
    else watch.verify(timeoutMs, done);
  }

  /** A call may go to a partner: while no primary is healthy, partners are asked for their heads. */
  demandPartner(): void {
    if (this.#parts.view.hasHealthyPrimary) return;
    const now = this.#parts.clock.monotonic();
    for (const watch of this.#partners) {
      if (watch.upstream.drained || watch.isLooking) continue;
      if (watch.upstream.breaker.state === "open") this.#probe(watch, now);
      else if (now >= this.#partnerDueMs(watch)) watch.look("poll", () => {});
    }
  }

  #partnerDueMs(watch: UpstreamWatch): number {
    if (watch.upstream.chain !== "right") return watch.checkAtMs;
    return watch.askedMs + Math.max(this.blockTimeMs, LEAST_PARTNER_MS);
  }

  /** The block that a tag means now; undefined where nodes have none. `done` is called once. */
  tag(name: TagName, timeoutMs: number, done: (number: number | undefined) => void): void {
    this.#tags[name].resolve(timeoutMs, done);
  }

  #watchOf(upstream: TrackedUpstream): UpstreamWatch | undefined {
    const watches = upstream.role === "primary" ? this.#primaries : this.#partners;
    return watches.find((watch) => watch.upstream === upstream);
  }

  #changed(upstream: TrackedUpstream): void {
    if (!this.#isRunning) return;
    this.#linker.link(upstream);
    this.#tick();
  }

  /**
   * The header of each block costs one call anyway: with one upstream alone it is that one's, and
   * a poll that came too early could never be made good.
   */
  #charge(upstream: TrackedUpstream): void {
    if (this.#primaries.length > 1) this.#watchOf(upstream)?.account.spend();
  }

  /** Until its new head is known the node counts as one of the fork that it has left. */
  #repeat(upstream: TrackedUpstream): void {
    if (!this.#isRunning) return;
    this.#charge(upstream);
    this.#watchOf(upstream)?.repeat();
  }

  /** All that is known was said by partners of another chain. */
  #startOver(): void {
    for (const watch of this.#partners) watch.resetChain();
    this.#parts.view.startOver();
  }

  /** Does all that is due, and sleeps until more is. */
  #tick(): void {
    this.#mustTick = true;
    if (this.#isTicking || !this.#isRunning) return;
    this.#isTicking = true;
    while (this.#mustTick) {
      this.#mustTick = false;
      const now = this.#parts.clock.monotonic();
      this.#parts.view.refresh();
      this.#poller.note(now);
      this.#sleep(this.#work(now), now);
    }
    this.#isTicking = false;
  }

  /** Returns when it has to be done again, monotonic milliseconds. */
  #work(now: MonotonicMs): number {
    const polled: UpstreamWatch[] = [];
    let next = now + LOOK_AGAIN_MS;
    let isTold = false;
    for (const watch of this.#primaries) {
      const { upstream } = watch;
      if (upstream.drained) continue;
      watch.settleDoubt();
      if (upstream.breaker.state === "open") next = Math.min(next, this.#probe(watch, now));
      else if (upstream.chain !== "right") next = Math.min(next, this.#check(watch, now));
      else if (watch.silentAtMs > now) {
        isTold = true;
        next = Math.min(next, watch.silentAtMs);
      } else polled.push(watch);
    }
    return Math.min(next, this.#poller.poll(this.#spared(polled, now), isTold, now));
  }

  /**
   * Without the nodes that asked for a pause, as long as the head goes on without them. One that is
   * at its `requestsPerSecond` is polled like any other: it may be there all the time.
   */
  #spared(polled: readonly UpstreamWatch[], now: MonotonicMs): readonly UpstreamWatch[] {
    if (now - this.#movedMs >= silentMs(this.blockTimeMs)) return polled;
    const spared = polled.filter(({ upstream }) => !upstream.allowance.isPaused());
    return spared.length > 0 ? spared : polled;
  }

  /** A node whose breaker is open: its chain and its head decide. */
  #probe(watch: UpstreamWatch, now: MonotonicMs): number {
    const { breaker } = watch.upstream;
    if (now >= breaker.probeDueAtMs && !watch.isLooking) {
      breaker.probeStarted(now);
      watch.look("probe", (isRight) => {
        if (isRight) breaker.probeSucceeded();
      });
    }
    return watch.isLooking ? Number.POSITIVE_INFINITY : breaker.probeDueAtMs;
  }

  #check(watch: UpstreamWatch, now: MonotonicMs): number {
    if (now >= watch.checkAtMs && !watch.isLooking) this.#poller.look(watch, () => {});
    return watch.isLooking ? Number.POSITIVE_INFINITY : watch.checkAtMs;
  }

  #sleep(untilMs: MonotonicMs, now: MonotonicMs): void {
    if (this.#timer !== undefined) this.#parts.timers.clear(this.#timer);
    this.#timer = this.#parts.timers.set(Math.max(untilMs - now, 0), () => {
      this.#timer = undefined;
      this.#tick();
    });
  }
}

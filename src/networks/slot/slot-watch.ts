import type { Clock, MonotonicMs } from "../../lib/clock.ts";
import type { SharedBoard } from "../../lib/shared-board.ts";
import type { Timer, Timers } from "../../lib/timer-wheel.ts";
import type { Upstream } from "../../upstreams/upstream.ts";
import { ChainIdentity, GENESIS_HASH, type WarningLog } from "../chain-identity.ts";
import { HeadWaiters, isHopeless } from "../head-waiters.ts";
import type { ChainState } from "../network.ts";
import { SharedSlots, type SlotClaim } from "./shared-slots.ts";
import { type Commitment, SlotHeads, type Slots } from "./slot-heads.ts";
import { SlotPoll } from "./slot-poll.ts";

/** How often a node is asked for its slots while clients call, some 2.5 slots, and while none does. */
const USED_MS = 1000;
/** The same while somebody is told of each slot. */
const FOLLOWED_MS = 400;
const IDLE_MS = 10_000;
/** Clients that ask less often do not notice. */
const IN_USE_MS = 30_000;
/** A partner's slot is paid for; while an outage is short the last head serves. */
const OUTAGE_MS = 10_000;
const PARTNER_MS = 2000;

export type SlotWatchOptions = {
  /** Healthy primaries that must have a slot before it is the network's head. */
  readonly confirmations: number;
  /** The hash of the first block. If it is not configured, the first primary that answers says it; until then a partner. */
  readonly genesisHash?: string | undefined;
};

export type SlotWatchParts = {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly upstreams: readonly Upstream[];
  readonly log: WarningLog;
  /** The board on which the workers of this gateway tell each other, where there are several. */
  readonly board?: SharedBoard<SlotClaim> | undefined;
};

/**
 * The state of a slot network's chain at this moment: its heads by commitment, from polls of each
 * primary. Checks that all are of one chain, and probes those whose breaker is open.
 */
export class SlotWatch implements ChainState {
  readonly #parts: SlotWatchParts;
  readonly #heads: SlotHeads;
  readonly #identity: ChainIdentity<string>;
  readonly #polls: readonly SlotPoll[];
  readonly #waiters: HeadWaiters;
  readonly #shared: SharedSlots | undefined;
  readonly #followers = new Set<() => void>();
  #isRunning = false;
  #timer: Timer | undefined;
  #usedMs = Number.NEGATIVE_INFINITY;
  /** When a call last came that a partner may answer. */
  #partnerUsedMs = Number.NEGATIVE_INFINITY;
  /** Since when no primary is healthy. */
  #outageSinceMs: MonotonicMs | undefined;

  constructor({ confirmations, genesisHash }: SlotWatchOptions, parts: SlotWatchParts) {
    const { clock, timers, upstreams, log } = parts;
    this.#parts = parts;
    this.#waiters = new HeadWaiters(timers);
    this.#identity = new ChainIdentity(GENESIS_HASH, genesisHash, {
      log,
      refuted: () => this.#startOver(),
    });
    const changed = () => {
      this.#shared?.changed();
      this.#waiters.reached(this.slots.confirmed, this.shownSlots.confirmed);
      for (const changed of [...this.#followers]) changed();
    };
    this.#heads = new SlotHeads(confirmations, { clock, timers, upstreams, changed });
    this.#shared = parts.board && new SharedSlots(parts.board, this.#heads);
    this.#polls = upstreams.map(
      (upstream) =>
        new SlotPoll(upstream, {
          clock,
          timers,
          identity: this.#identity,
          told: (one, slots) => this.#heads.told(one, slots, true),
          changed: () => this.#tick(),
        }),
    );
  }

  /** Or what a partner said while no primary has told it. */
  get genesisHash(): string | undefined {
    return this.#identity.assumed;
  }

  /** Whether a primary or the configuration says which chain this is. */
  get isChainSure(): boolean {
    return this.#identity.expected !== undefined;
  }

  /** By commitment; -1 where none is known. */
  get slots(): Slots {
    return this.#heads.heads;
  }

  /** The same, as primaries alone have shown them, for plans that no partner answers. */
  get shownSlots(): Slots {
    return this.#heads.shownHeads;
  }

  /** The confirmed slot: what a node's blocks are known up to. */
  get head(): { readonly number: number; readonly hash: undefined } | undefined {
    const { confirmed } = this.#heads.heads;
    return confirmed < 0 ? undefined : { number: confirmed, hash: undefined };
  }

  start(): void {
    this.#isRunning = true;
    this.#tick();
  }

  stop(): void {
    this.#isRunning = false;
    if (this.#timer !== undefined) this.#parts.timers.clear(this.#timer);
    this.#heads.stop();
    this.#waiters.giveUp(true);
  }

  /** An answer shows that this upstream has got to the slot. */
  seen(upstream: Upstream, slot: number, commitment: Commitment = "confirmed"): void {
    if (slot > upstream.head || commitment === "finalized") {
      this.#heads.told(upstream, { [commitment]: slot }, false);
    }
    this.#heads.shown(upstream, commitment, slot);
  }

  /** Takes over the slots that another worker has told of. */
  catchUp(): void {
    this.#shared?.catchUp();
  }

  /** A client calls; `partner`: and a partner may answer it. */
  touch(partner: boolean): void {
    const now = this.#parts.clock.monotonic();
    const wasIdle = now - this.#usedMs > IN_USE_MS;
    this.#usedMs = now;
    if (partner) this.#partnerUsedMs = now;
    if (wasIdle) this.#tick();
  }

  /** Tells of each change of the heads, which are asked for more often. Returns what ends it. */
  follow(changed: () => void): () => void {
    const own = () => changed();
    this.#followers.add(own);
    this.#tick();
    return () => {
      this.#followers.delete(own);
    };
  }

  /** Checks the chain of an upstream that was never reached; `done` is called once. */
  verify(upstream: Upstream, timeoutMs: number, done: () => void): void {
    const poll = this.#polls.find((each) => each.upstream === upstream);
    if (poll === undefined) done();
    else poll.chain.verify(timeoutMs, done);
  }

  /** An upstream's health, or its use, has changed. */
  refresh(): void {
    this.#tick();
  }

  /** Its connection broke: it has to show its genesis hash again. */
  recheck(upstream: Upstream): void {
    this.#polls.find((each) => each.upstream === upstream)?.chain.forget();
  }

  /** After an upstream was asked: nobody waits for a head that no primary can tell. */
  reconsider(): void {
    if (this.#waiters.size === 0 || this.shownSlots.confirmed >= 0) return;
    // Not from within the call that has just begun to wait.
    if (!isHopeless(this.#parts.upstreams)) return;
    queueMicrotask(() => this.#waiters.giveUp(this.head === undefined));
  }

  /** Waits until the head is at least `least`. `done` is called once, later: whether it is. */
  whenHead(
    question: { readonly least: number; readonly timeoutMs: number; readonly partner: boolean },
    done: (reached: boolean) => void,
  ): void {
    this.#waiters.add(question, done);
    this.reconsider();
  }

  /** All that is known was said by partners of another chain. */
  #startOver(): void {
    for (const { upstream, chain } of this.#polls) if (upstream.role === "partner") chain.reset();
    this.#heads.startOver();
  }

  /** Does all that is due, and sleeps until more is. */
  #tick(): void {
    if (!this.#isRunning) return;
    const now = this.#parts.clock.monotonic();
    this.#heads.refresh();
    this.#outageSinceMs = this.#heads.hasHealthyPrimary ? undefined : (this.#outageSinceMs ?? now);
    let next = now + IDLE_MS;
    for (const poll of this.#polls) next = Math.min(next, this.#work(poll, now));
    if (this.#timer !== undefined) this.#parts.timers.clear(this.#timer);
    this.#timer = this.#parts.timers.set(Math.max(next - now, 0), () => this.#tick());
  }

  /** Returns when it has to be looked at again; Infinity: when its answer comes. */
  #work(poll: SlotPoll, now: MonotonicMs): number {
    const { upstream } = poll;
    const { breaker } = upstream;
    if (poll.isLooking) return Number.POSITIVE_INFINITY;
    if (upstream.drained) return now + USED_MS;
    if (upstream.role === "partner" && !this.#needsPartner(now)) return now + USED_MS;
    if (breaker.state === "open") {
      if (now < breaker.probeDueAtMs) return breaker.probeDueAtMs;
      breaker.probeStarted(now);
      poll.look("probe", (isRight) => {
        if (isRight) breaker.probeSucceeded();
      });
      return Number.POSITIVE_INFINITY;
    }
    const dueMs = this.#dueMs(poll, now);
    if (now < dueMs) return dueMs;
    poll.look("poll", () => {});
    return Number.POSITIVE_INFINITY;
  }

  #dueMs({ upstream, chain, askedMs }: SlotPoll, now: MonotonicMs): number {
    if (upstream.chain !== "right") return chain.dueAtMs;
    if (upstream.role === "partner") return askedMs + PARTNER_MS;
    if (this.#followers.size > 0) return askedMs + FOLLOWED_MS;
    return askedMs + (now - this.#usedMs <= IN_USE_MS ? USED_MS : IDLE_MS);
  }

  #needsPartner(now: MonotonicMs): boolean {
    const sinceMs = this.#outageSinceMs;
    const isWanted = now - this.#partnerUsedMs <= OUTAGE_MS;
    return isWanted && sinceMs !== undefined && now - sinceMs >= OUTAGE_MS;
  }
}

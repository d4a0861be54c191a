import { LRUCache } from "lru-cache";
import type { Clock, MonotonicMs } from "../../lib/clock.ts";
import type { SharedBoard } from "../../lib/shared-board.ts";
import type { Timer, Timers } from "../../lib/timer-wheel.ts";
import type { Upstream } from "../../upstreams/upstream.ts";
import type { WarningLog } from "../chain-identity.ts";
import { HeadWaiters, isHopeless } from "../head-waiters.ts";
import type { TrackedUpstream } from "../tracked-upstream.ts";
import type { HeadListener } from "./head-listeners.ts";
import { HeadTracker } from "./head-tracker.ts";
import { HeadView } from "./head-view.ts";
import type { Head } from "./primary-head.ts";
import { type HeadClaim, SharedHead } from "./shared-head.ts";
import type { TagName } from "./tags.ts";

/** Some 10 MB. Blocks whose number a client's hash was asked for. */
const KNOWN_HASHES = 50_000;
/** A partner's head is paid for; while an outage is short the last head serves. */
const OUTAGE_MS = 10_000;
/** Each call uses the head, and is noted at most once in this time. */
const TOUCHED_MS = 20;
/** Between looks for a block that a client has seen elsewhere: what it waits for is free. */
const SEEK_MS = 1000;
/** Between looks whether this worker has caught up with the others, and so many from seek to seek. */
const LOOK_MS = 20;
const SEEK_LOOKS = 4;

export type ChainWatchOptions = {
  readonly confirmations: number;
  readonly chainId?: number | undefined;
};

export type ChainWatchParts = {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly upstreams: readonly Upstream[];
  readonly log: WarningLog;
  /** The board on which the workers of this gateway tell each other, where there are several. */
  readonly board?: SharedBoard<HeadClaim> | undefined;
};

/** A view of a chain, be it from all nodes or from primaries alone. */
export type Horizon = {
  readonly chainId: number | undefined;
  readonly head: Head | undefined;
  /** The number of a block of this chain; undefined if it was not asked yet, or nobody knows the hash. */
  numberOf(hash: string): number | undefined;
};

/** The state of a chain at this moment, and ways to find out more. */
export class ChainWatch implements Horizon {
  readonly #view: HeadView;
  readonly #tracker: HeadTracker;
  readonly #waiters: HeadWaiters;
  /** Made when it is needed: it takes all of its memory at once. */
  #numbers: LRUCache<string, number> | undefined;
  /** Those that only a partner told. */
  #paidNumbers: LRUCache<string, number> | undefined;
  /** The chain as primaries alone have shown it, for plans that no partner answers. */
  readonly shown: Horizon;
  readonly #upstreams: readonly Upstream[];
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #timers: Timers;
  /** Set while a block is looked for. */
  #seeking: Timer | undefined;
  /** The head when it was looked for last. */
  #soughtAt = -1;
  readonly #shared: SharedHead | undefined;
  /** Calls that wait until this worker has caught up with another one. */
  readonly #outOfStep: (() => void)[] = [];
  #catching: Timer | undefined;
  /** When a client was last told to use the head. */
  #touchedMs = Number.NEGATIVE_INFINITY;
  /** Since when no primary is healthy. */
  #outageSinceMs: MonotonicMs | undefined;

  constructor(options: ChainWatchOptions, parts: ChainWatchParts) {
    this.#upstreams = parts.upstreams;
    this.#clock = parts.clock;
    this.#timers = parts.timers;
    this.#waiters = new HeadWaiters(parts.timers);
    this.#view = new HeadView(options, parts);
    this.#tracker = new HeadTracker(options, { ...parts, view: this.#view });
    this.#view.subscribe((change) => {
      if (change.kind !== "reorg") return;
      this.#numbers?.clear();
      this.#paidNumbers?.clear();
    });
    const hasPartners = parts.upstreams.some(({ role }) => role === "partner");
    this.shown = hasPartners ? this.#primaries() : this;
    const { board } = parts;
    if (board === undefined) return;
    const reported = (upstream: TrackedUpstream) => this.#tracker.reported(upstream);
    const aheadMs = board.now() - parts.clock.monotonic();
    this.#shared = new SharedHead({ ...parts, board, view: this.#view, aheadMs, reported });
  }

  #primaries(): Horizon {
    const [view, tracker] = [this.#view, this.#tracker];
    return {
      get chainId() {
        return tracker.shownChainId;
      },
      get head() {
        return view.shownHead;
      },
      numberOf: (hash) => {
        const number = view.numberOf(hash);
        return number !== undefined && this.isShown(number) ? number : this.#numbers?.get(hash);
      },
    };
  }

  /** Whether all that another worker has told of the chain is known here. */
  get isInStep(): boolean {
    return this.#shared === undefined || this.#shared.isInStep();
  }

  /** The calls that it runs arrived together. */
  atOnce(run: () => void): void {
    if (this.#shared === undefined) run();
    else this.#shared.atOnce(run);
  }

  /** `done` is called once, later: when this worker is in step with the others, or cannot be. */
  whenInStep(done: () => void): void {
    this.#outOfStep.push(done);
    if (this.#outOfStep.length === 1) this.#catchUp(0);
  }

  /** Nodes are asked at once, and again while calls wait. */
  #catchUp(looks: number): void {
    if (looks % SEEK_LOOKS === 0) this.#tracker.settle();
    this.#catching = this.#timers.set(LOOK_MS, () => {
      this.#catching = undefined;
      if (this.isInStep) this.#letGo();
      else this.#catchUp(looks + 1);
    });
  }

  #letGo(): void {
    if (this.#catching !== undefined) this.#timers.clear(this.#catching);
    this.#catching = undefined;
    for (const done of this.#outOfStep.splice(0)) done();
  }

  get chainId(): number | undefined {
    return this.#tracker.chainId;
  }

  get head(): Head | undefined {
    return this.#view.head;
  }

  start(): void {
    // After all others who are told: a call that goes on must not find what was replaced.
    this.#view.subscribe(() => {
      this.#waiters.reached(this.head?.number ?? -1, this.shown.head?.number ?? -1);
      if (this.#outOfStep.length > 0 && this.isInStep) this.#letGo();
    });
    this.#tracker.start();
  }

  stop(): void {
    this.#tracker.stop();
    if (this.#seeking !== undefined) this.#timers.clear(this.#seeking);
    this.#letGo();
    this.#waiters.giveUp();
  }

  /** Returns what ends it. */
  subscribe(listener: HeadListener): () => void {
    return this.#view.subscribe(listener);
  }

  /** An answer shows that this upstream has the block, and maybe its hash. */
  seen(upstream: Upstream, number: number, hash?: string): void {
    // It is on another fork than it told of, or what is known is out of date.
    if (this.#view.seen(upstream, number, hash)) this.#tracker.doubt(upstream);
  }

  /** A client uses the head; `partner`: and a partner may answer it. */
  touch(partner: boolean): void {
    const now = this.#clock.monotonic();
    const isOutage = this.#outageSinceMs !== undefined;
    if (now - this.#touchedMs < TOUCHED_MS && !(partner && isOutage)) return;
    this.#touchedMs = now;
    this.#tracker.touch();
    const sinceMs = this.#view.hasHealthyPrimary ? undefined : (this.#outageSinceMs ?? now);
    this.#outageSinceMs = sinceMs;
    if (partner && now - (sinceMs ?? now) >= OUTAGE_MS) this.#tracker.demandPartner();
  }

  numberOf(hash: string): number | undefined {
    const known = this.#view.numberOf(hash) ?? this.#numbers?.get(hash);
    return known ?? this.#paidNumbers?.get(hash);
  }

  /** The hash of a block of this chain, up to the head; undefined if it is not known. */
  hashOf(number: number): string | undefined {
    return this.#view.hashOf(number);
  }

  /** The newest block, up to the head, whose hash is known; -1: none. */
  get newestHashed(): number {
    return this.#view.newestHashed;
  }

  /** Whether this upstream's own head shows that it has this block of the network's chain, and had no other since then. */
  hasTold(upstream: Upstream, number: number, sinceMs: MonotonicMs): boolean {
    return this.#view.hasTold(upstream, number, sinceMs);
  }

  /**
   * Whether the block that an answer of this upstream shows may be of the network's chain. Where it
   * is not, the upstream is asked for its head: what is known of it, or of the chain, is out of date.
   */
  confirms(upstream: Upstream, number: number, hash: string | undefined): boolean {
    const known = this.hashOf(number);
    if (known === undefined || known === hash) return true;
    this.#tracker.doubt(upstream);
    return false;
  }

  /** Whether a primary has shown this chain's block of that number, and its hash is known. */
  isShown(number: number): boolean {
    return number <= this.#view.shownBlock && this.hashOf(number) !== undefined;
  }

  /** A node said so. */
  learnNumber({ role }: Upstream, hash: string, number: number): void {
    const none = () => new LRUCache<string, number>({ max: KNOWN_HASHES });
    if (role === "partner") this.#paidNumbers ??= none();
    else this.#numbers ??= none();
    const numbers = role === "partner" ? this.#paidNumbers : this.#numbers;
    numbers?.set(hash, number);
  }

  /** The block that a tag means now; undefined where nodes have no such block. `done` is called once. */
  tag(name: TagName, timeoutMs: number, done: (number: number | undefined) => void): void {
    this.#tracker.tag(name, timeoutMs, done);
  }

  /** Checks the chain id of an upstream that was never reached; `done` is called once. */
  verify(upstream: Upstream, timeoutMs: number, done: () => void): void {
    this.#tracker.verify(upstream, timeoutMs, done);
  }

  /** An upstream's health, or its use, has changed. */
  refresh(): void {
    this.#tracker.refresh();
  }

  /** Its connection broke: it has to show its chain id again. */
  recheck(upstream: Upstream): void {
    this.#tracker.recheck(upstream);
  }

  /**
   * Waits until the head is known and at least `least`. `done` is called once, later: false where
   * that took too long, or no node is left that could tell.
   */
  whenHead(
    question: { readonly least: number; readonly timeoutMs: number; readonly partner: boolean },
    done: (reached: boolean) => void,
  ): void {
    this.#tracker.touch();
    this.#waiters.add(question, done);
    this.reconsider();
    this.#seek();
  }

  /**
   * Polls are aimed at blocks that come when expected: one that came sooner would be found too late.
   * Once a block was found, whoever asks for the next does not wait for the pause's end.
   */
  #seek(): void {
    const head = this.head?.number;
    if (this.#waiters.size === 0 || head === undefined) return;
    if (this.#seeking !== undefined) {
      if (head <= this.#soughtAt) return;
      this.#timers.clear(this.#seeking);
    }
    this.#soughtAt = head;
    this.#seeking = this.#timers.set(SEEK_MS, () => {
      this.#seeking = undefined;
      this.#seek();
    });
    this.#tracker.seek();
  }

  /** After an upstream was asked: nobody waits for a head that no primary can tell. */
  reconsider(): void {
    if (this.#waiters.size === 0 || this.shown.head !== undefined) return;
    if (!isHopeless(this.#upstreams)) return;
    // Not from within the call that has just begun to wait.
    queueMicrotask(() => this.#waiters.giveUp());
    if (this.#waiters.wantsPartner && this.head === undefined) this.#tracker.demandPartner();
  }
}

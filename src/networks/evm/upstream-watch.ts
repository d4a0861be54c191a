import type { Clock } from "../../lib/clock.ts";
import type { Timers } from "../../lib/timer-wheel.ts";
import { ChainCheck } from "../chain-check.ts";
import type { ChainIdentity } from "../chain-identity.ts";
import { type BlockHeader, isHealthy, type TrackedUpstream } from "../tracked-upstream.ts";
import type { HeadView } from "./head-view.ts";
import { PollAccount } from "./poll-schedule.ts";
import { readBlock } from "./read-block.ts";

const ASK_MS = 3000;
/** Twice this is what the breaker allows a probe. */
const PROBE_MS = 1000;
const SILENT_BLOCKS = 4;
const SILENT_MS = 10_000;
/** A node that lies all the time is asked for its head so often because of that. */
const DOUBT_MS = 1000;

/** A node that announces no new block for this long is polled again. */
export const silentMs = (blockTimeMs: number): number =>
  Math.max(blockTimeMs * SILENT_BLOCKS, SILENT_MS);

export type UpstreamWatchParts = {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly view: HeadView;
  readonly identity: ChainIdentity<number>;
  readonly blockTimeMs: () => number;
  /** Told after each answer and each change of the socket. */
  readonly changed: (upstream: TrackedUpstream) => void;
};

/** The questions to one upstream about heads: its chain, its head, and its socket. */
export class UpstreamWatch {
  readonly upstream: TrackedUpstream;
  readonly account = new PollAccount();
  readonly #parts: UpstreamWatchParts;
  readonly #chain: ChainCheck;
  #isLooking = false;
  /** To be asked again: what is in the air may be answered with an older head. */
  #isSought = false;
  #isRepeated = false;
  #askedMs = Number.NEGATIVE_INFINITY;
  #flows = false;
  /** A poll found a block that the socket had not told of. */
  #isDeaf = false;
  #toldMs = Number.NEGATIVE_INFINITY;
  /** An answer of it contradicted what is known, and it was not asked for its head since. */
  #isDoubted = false;
  #doubtedMs = Number.NEGATIVE_INFINITY;

  constructor(upstream: TrackedUpstream, parts: UpstreamWatchParts) {
    this.upstream = upstream;
    this.#parts = parts;
    this.#chain = new ChainCheck(upstream, parts);
  }

  get isLooking(): boolean {
    return this.#isLooking;
  }

  /** When it was last asked for its head. */
  get askedMs(): number {
    return this.#askedMs;
  }

  /** When its chain is to be checked; Infinity where it is known to be right. */
  get checkAtMs(): number {
    return this.#chain.dueAtMs;
  }

  /** When the socket counts as silent, unless it tells of a block before. */
  get silentAtMs(): number {
    if (!this.#flows || this.#isDeaf) return Number.NEGATIVE_INFINITY;
    return this.#toldMs + silentMs(this.#parts.blockTimeMs());
  }

  listen(): void {
    this.upstream.heads?.start(
      (head) => this.#told(head),
      (flows) => {
        this.#flows = flows;
        this.#isDeaf = false;
        this.#toldMs = this.#parts.clock.monotonic();
        if (flows) {
          this.#chain.hasten();
          this.#chain.forget();
        }
        this.#parts.changed(this.upstream);
      },
    );
  }

  /** The network's chain is another one than was thought. */
  resetChain(): void {
    this.#chain.reset();
  }

  /** The connection broke: whoever answers there next may be of another chain. */
  recheck(): void {
    this.#chain.forget();
  }

  /**
   * Asks for the node's head, and for its chain first where that has to be checked. `done` is told
   * whether a head of the right chain came.
   */
  look(kind: "poll" | "probe", done: (isRight: boolean) => void): void {
    const timeoutMs = kind === "probe" ? PROBE_MS : ASK_MS;
    this.#isLooking = true;
    this.#isRepeated = false;
    this.#askedMs = this.#parts.clock.monotonic();
    const finish = (isRight: boolean) => {
      this.#isLooking = false;
      done(isRight);
      if (this.#isSought) this.seek();
      this.#parts.changed(this.upstream);
    };
    const isChecked = kind === "probe" || this.#chain.isDue;
    if (!isChecked) this.#askHead(timeoutMs, { isChecked, finish });
    else {
      this.#chain.run(timeoutMs, (isRight) => {
        if (isRight) this.#askHead(timeoutMs, { isChecked, finish });
        else finish(false);
      });
    }
  }

  /** Asks for its head once more: nodes behind one address could lead from one to the next for ever. */
  repeat(): void {
    if (this.#isRepeated || this.#isLooking) return;
    this.look("poll", () => {});
    this.#isRepeated = true;
  }

  /** Asks for a head that is not older than this moment. */
  seek(): void {
    this.#isSought = this.#isLooking;
    if (!this.#isLooking) this.look("poll", () => {});
  }

  /** An answer of it shows another block than is known: it is asked for its head, once a second at most. */
  doubt(): void {
    this.#isDoubted = true;
    this.settleDoubt();
  }

  /** Asks for its head where that is still to be done, and may be done. */
  settleDoubt(): void {
    const { upstream } = this;
    const now = this.#parts.clock.monotonic();
    if (!this.#isDoubted || !isHealthy(upstream) || now - this.#doubtedMs < DOUBT_MS) return;
    this.#isDoubted = false;
    this.#doubtedMs = now;
    this.seek();
  }

  /** `done` is called once, within the time, when the chain is known or cannot be found out. */
  verify(timeoutMs: number, done: () => void): void {
    this.#chain.verify(timeoutMs, done);
  }

  #askHead(
    timeoutMs: number,
    then: { readonly isChecked: boolean; readonly finish: (isRight: boolean) => void },
  ): void {
    const askedMs = this.#parts.clock.monotonic();
    const request = { method: "eth_getBlockByNumber", params: '["latest",false]', timeoutMs };
    this.upstream.ask(request, (answer) => {
      const head = readBlock(answer);
      // A node that did not answer may have been replaced before it answers again.
      if (head === undefined) this.#chain.suspect();
      const accept = (isRight: boolean) => {
        if (isRight && head !== undefined) this.#accept(head, askedMs);
        then.finish(isRight && head !== undefined);
      };
      if (head === undefined || then.isChecked || this.#parts.view.fits(head)) accept(true);
      else this.#chain.run(timeoutMs, accept);
    });
  }

  #accept(head: BlockHeader, askedMs: number): void {
    const { view, clock } = this.#parts;
    if (this.#flows && !this.#isDeaf && this.silentAtMs <= clock.monotonic()) {
      const before = view.tipOf(this.upstream);
      this.#isDeaf = before !== undefined && head.number > before.number;
      this.#toldMs = clock.monotonic();
    }
    if (!view.report(this.upstream, head, askedMs)) this.seek();
  }

  #told(head: BlockHeader): void {
    this.#isDeaf = false;
    this.#toldMs = this.#parts.clock.monotonic();
    // Until the chain is known, the check asks for the head itself.
    if (this.upstream.chain !== "right") return;
    this.#parts.view.report(this.upstream, head);
    this.#parts.changed(this.upstream);
  }
}

import type { Timers } from "../../lib/timer-wheel.ts";
import { waitersInTurns } from "../../lib/turn-queue.ts";
import { isHealthy, type TrackedUpstream } from "../tracked-upstream.ts";
import type { HeadView } from "./head-view.ts";
import { readBlock } from "./read-block.ts";

export type TagName = "safe" | "finalized";

const ASK_MS = 2000;
/** One that fails says nothing of whether the others have such a block. */
const MOST_ASKED = 2;
/**
 * The share of a call's time to wait for a tag. After it, the tag's last block is used, or the
 * answering node decides.
 */
const WAIT_SHARE = 1 / 4;

export type TagParts = {
  readonly view: HeadView;
  readonly upstreams: readonly TrackedUpstream[];
  readonly timers: Timers;
};

/**
 * The block of `safe` or `finalized` at this moment: asked of a primary that has the head when a client
 * uses it, at most once for each head. It never goes back save in a reorganisation of its block.
 */
export class Tag {
  readonly #name: TagName;
  readonly #parts: TagParts;
  #number: number | undefined;
  #isCurrent = false;
  #isAsking = false;
  /** Calls that wait for the answer. */
  readonly #waiting = new Set<() => void>();

  constructor(name: TagName, parts: TagParts) {
    this.#name = name;
    this.#parts = parts;
    parts.view.subscribe((change) => {
      this.#isCurrent = false;
      if (change.kind === "reorg" && change.commonAncestor < (this.#number ?? -1)) {
        this.#number = undefined;
      }
    });
  }

  /** As last asked; undefined where that was not done yet, or nodes have no such block. */
  get number(): number | undefined {
    return this.#number;
  }

  /**
   * `done` is called once, at once where this head's tag is known, and within a quarter of
   * `timeoutMs`: a node that hangs must not use up the time of the call.
   */
  resolve(timeoutMs: number, done: (number: number | undefined) => void): void {
    const { view, upstreams, timers } = this.#parts;
    if (!this.#isAsking && (this.#isCurrent || view.shownHead === undefined)) {
      done(this.#number);
      return;
    }
    const end = () => {
      timers.clear(timer);
      this.#waiting.delete(end);
      done(this.#number);
    };
    const timer = timers.set(timeoutMs * WAIT_SHARE, end);
    this.#waiting.add(end);
    if (this.#isAsking || view.shownHead === undefined) return;
    this.#isAsking = true;
    this.#isCurrent = true;
    const head = view.shownHead.number;
    this.#ask(
      upstreams.filter(
        (one) => one.role === "primary" && isHealthy(one) && !one.isForked && one.head >= head,
      ),
      MOST_ASKED,
    );
  }

  #ask([upstream, ...others]: readonly TrackedUpstream[], most: number): void {
    if (upstream === undefined || most === 0) {
      this.#answer(undefined);
      return;
    }
    const params = `["${this.#name}",false]`;
    upstream.ask({ method: "eth_getBlockByNumber", params, timeoutMs: ASK_MS }, (json) => {
      const block = readBlock(json);
      if (block === undefined) this.#ask(others, most - 1);
      else this.#answer(this.#parts.view.isOurs(block) === false ? undefined : block.number);
    });
  }

  #answer(found: number | undefined): void {
    const head = this.#parts.view.shownHead?.number ?? -1;
    // A node ahead of the network may have finalised what is not the network's head yet.
    if (found !== undefined) this.#number = Math.max(this.#number ?? -1, Math.min(found, head));
    this.#isAsking = false;
    waitersInTurns(this.#waiting, (end) => end());
  }
}

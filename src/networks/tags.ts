import type { HeadView } from "./head-view.ts";
import { readBlock } from "./read-block.ts";
import { isHealthy, type TrackedUpstream } from "./tracked-upstream.ts";

export type TagName = "safe" | "finalized";

const ASK_MS = 2000;
/** One that fails says nothing of whether the others have such a block. */
const MOST_ASKED = 2;

export type TagParts = {
  readonly view: HeadView;
  readonly upstreams: readonly TrackedUpstream[];
};

/**
 * What `safe` or `finalized` is at this moment: asked of a node that has the head when a client
 * uses it, at most once for each head. It never goes back save in a reorganisation of its block.
 */
export class Tag {
  readonly #name: TagName;
  readonly #parts: TagParts;
  #number: number | undefined;
  #isCurrent = false;
  /** Calls that wait for the answer. */
  #waiting: ((number: number | undefined) => void)[] | undefined;

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

  /** `done` is called once, at once where this head's tag is known. */
  resolve(done: (number: number | undefined) => void): void {
    if (this.#waiting !== undefined) {
      this.#waiting.push(done);
      return;
    }
    if (this.#isCurrent || this.#parts.view.head === undefined) {
      done(this.#number);
      return;
    }
    this.#waiting = [done];
    this.#isCurrent = true;
    const head = this.#parts.view.head.number;
    this.#ask(
      this.#parts.upstreams.filter(
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
    const head = this.#parts.view.head?.number ?? -1;
    // A node ahead of the network may have finalised what is not the network's head yet.
    if (found !== undefined) this.#number = Math.max(this.#number ?? -1, Math.min(found, head));
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const done of waiting) done(this.#number);
  }
}

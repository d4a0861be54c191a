import type { Clock, MonotonicMs } from "../../lib/clock.ts";
import type { Router } from "../../routing/router.ts";
import { blockNumberIn } from "../../transports/answer-block.ts";
import type { ChainWatch } from "./chain-watch.ts";
import type { Found } from "./resolution.ts";

export type BlockFinderParts = {
  readonly chain: ChainWatch;
  readonly router: Pick<Router, "fetch">;
  readonly clock: Pick<Clock, "monotonic">;
};

/** For whom blocks are found. */
export type Finding = {
  /** Whether a partner may answer. */
  readonly partner: boolean;
  /** The deadline of the whole call, monotonic milliseconds. */
  readonly deadlineMs: MonotonicMs;
};

/** Finds the numbers of the blocks that a call names by `safe`, `finalized` or a hash. */
export class BlockFinder {
  readonly #parts: BlockFinderParts;

  constructor(parts: BlockFinderParts) {
    this.#parts = parts;
  }

  /**
   * One after another: a call hardly ever has more than one. `done` is called once, within the time;
   * at once where all of them are known.
   */
  find(unknowns: readonly string[], finding: Finding, done: (found: Found) => void): void {
    const { chain, clock } = this.#parts;
    const found = new Map<string, number | undefined>();
    const next = (at: number): void => {
      const unknown = unknowns[at];
      if (unknown === undefined) {
        done(found);
        return;
      }
      const take = (number: number | undefined) => {
        found.set(unknown, number);
        next(at + 1);
      };
      if (unknown === "safe" || unknown === "finalized") {
        chain.tag(unknown, finding.deadlineMs - clock.monotonic(), take);
      } else this.#numberOf(unknown, finding, take);
    };
    next(0);
  }

  /** The number of the block with this hash. It matters only on a network with a window. */
  #numberOf(
    hash: string,
    { partner, deadlineMs }: Finding,
    done: (number: number | undefined) => void,
  ): void {
    const { chain, router, clock } = this.#parts;
    const horizon = partner ? chain : chain.shown;
    const known = horizon.numberOf(hash);
    if (known !== undefined) {
      done(known);
      return;
    }
    const head = horizon.head?.number ?? -1;
    const any = { block: -1, strict: false, depth: -1, head, slack: 0 };
    const kind = { lookup: true, exists: false, future: false, answerBlock: "number" } as const;
    router.fetch({
      need: { method: "eth_getBlockByHash", ...any, ...kind, partner },
      params: `["${hash}",false]`,
      deadlineMs: (clock.monotonic() + deadlineMs) / 2,
      done: (outcome) => {
        const isFound = outcome.kind === "result";
        const found = isFound ? blockNumberIn(outcome.result, "number") : undefined;
        if (isFound && found !== undefined) chain.learnNumber(outcome.upstream, hash, found);
        done(found);
      },
    });
  }
}

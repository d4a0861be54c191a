import type { Piece } from "../lib/bytes.ts";
import { blockNumberIn } from "../transports/answer-block.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import type { Source } from "./findings.ts";
import type { FetchOutcome, RoutedNeed, RoutingObserver } from "./routing.ts";

/**
 * The nulls of one call. Null is an answer once it can be trusted: confirmed by a second healthy
 * node, and while none is ahead of those that said it.
 */
export class NullAnswers {
  /** With the heads that they had then: what came to them since, they did not look for. */
  readonly #from: { readonly upstream: Upstream; readonly head: number }[] = [];
  #outcome: FetchOutcome | undefined;

  add({ upstream, beganMs }: Source, result: readonly Piece[]): void {
    this.#from.push({ upstream, head: upstream.head });
    this.#outcome ??= { kind: "result", result, upstream, askedMs: beganMs };
  }

  /** The call's answer if nobody finds it; undefined where nobody said null. */
  get outcome(): FetchOutcome | undefined {
    return this.#outcome;
  }

  /** Whether it decides, where `another` healthy node could still be asked, and so many say it. */
  suffices(another: Upstream | undefined, least: number): boolean {
    if (another === undefined) return true;
    return this.#from.length >= least && this.#from.every(({ head }) => head >= another.head);
  }

  /** A node that said null to what exists has failed, unless the block may not have reached it yet. */
  contradict(result: readonly Piece[], need: RoutedNeed, observer: RoutingObserver): void {
    if (this.#from.length === 0) return;
    const { answerBlock } = need;
    const block = answerBlock === undefined ? need.block : blockNumberIn(result, answerBlock);
    if (block === undefined || block < 0) return;
    for (const { upstream, head } of this.#from) {
      if (block > head) continue;
      upstream.breaker.failed();
      observer.contradicted(upstream.name);
    }
  }
}

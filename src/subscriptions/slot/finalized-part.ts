import type { BlockStory } from "../chain/block-story.ts";
import type { ChainSubscriptionParts } from "../chain/subscription-parts.ts";

/** The same chain for those who are told of nothing above the finalized slot. */
export function finalizedPart(
  story: BlockStory,
  finalized: () => number,
): ChainSubscriptionParts["story"] {
  return {
    get tip() {
      return story.newest(finalized());
    },
    next: (at) => {
      const step = story.next(at);
      const isAbove = typeof step !== "string" && step.block.number > finalized();
      return isAbove && step.kind === "joins" ? "here" : step;
    },
    has: (at) => story.has(at),
    upTo: (top, least) => story.upTo(top, least),
  };
}

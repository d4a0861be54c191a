import type { RoutedRequest } from "../upstreams/routing.ts";
import { paramsOf } from "./answers.ts";
import type { Plan } from "./network.ts";

/** The block, or slot, that a node has to have for a plan; -1: any node will do. */
export function leastBlock({ block, minBlock }: Plan): number {
  return Math.max(block, minBlock);
}

/** What a plan asks of the network's nodes. */
export function routedRequest(
  plan: Plan,
  deadlineMs: number,
  { slack, partial }: { readonly slack: number; readonly partial: boolean },
): RoutedRequest {
  const { definition, block, minBlock, depth, head, exists, future, partner } = plan;
  const { method, answerBlock, lookup } = definition;
  return {
    need: {
      method,
      block: leastBlock(plan),
      strict: minBlock > block,
      partial,
      depth,
      head,
      slack,
    },
    params: paramsOf(plan),
    deadlineMs,
    lookup: lookup !== undefined,
    exists,
    future,
    answerBlock,
    partner,
  };
}

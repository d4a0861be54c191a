import type { Definition } from "../methods/definition.ts";
import type { RoutedNeed } from "../routing/routing.ts";
import type { Plan } from "./network.ts";

/** How the family's nodes behave, as far as the plan does not say it. */
export type NodeTolerance = Pick<RoutedNeed, "slack"> & { readonly partial: boolean };

/** The block, or slot, that a node has to have for a plan; -1: any node will do. */
export function leastBlock({ block, minBlock }: Plan): number {
  return Math.max(block, minBlock);
}

/** The needs of plans. Calls that ask for the same share one need: most do. */
export class Needs {
  readonly #latest = new Map<Definition, RoutedNeed>();

  of(plan: Plan, tolerance: NodeTolerance): RoutedNeed {
    const latest = this.#latest.get(plan.definition);
    if (latest !== undefined && isNeedOf(latest, plan, tolerance)) return latest;
    const need = needOf(plan, tolerance);
    this.#latest.set(plan.definition, need);
    return need;
  }
}

function needOf(plan: Plan, { slack, partial }: NodeTolerance): RoutedNeed {
  const { definition, block, minBlock, depth, head, exists, future, partner } = plan;
  const { method, answerBlock, lookup, instead } = definition;
  return {
    method,
    block: leastBlock(plan),
    strict: minBlock > block,
    partial,
    depth,
    head,
    slack,
    lookup: lookup !== undefined,
    exists,
    future,
    answerBlock,
    partner,
    hasInstead: instead !== undefined,
  };
}

/** Compares everything that `needOf` reads except the definition, which is the same. */
function isNeedOf(need: RoutedNeed, plan: Plan, { slack, partial }: NodeTolerance): boolean {
  return (
    need.block === leastBlock(plan) &&
    need.strict === plan.minBlock > plan.block &&
    need.depth === plan.depth &&
    need.head === plan.head &&
    need.exists === plan.exists &&
    need.future === plan.future &&
    need.partner === plan.partner &&
    need.slack === slack &&
    need.partial === partial
  );
}

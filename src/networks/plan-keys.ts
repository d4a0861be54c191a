import { encode } from "../jsonrpc/value.ts";
import { textHash } from "../lib/text-hash.ts";
import type { Plan } from "./network.ts";

/** JSON text of the params, with the blocks that they mean, made once for each call. */
export function paramsOf(plan: Plan): string {
  plan.params ??= encode(plan.args);
  return plan.params;
}

/** JSON text of the params for a node. Nearly always that by which the answer is kept. */
export function sentParamsOf(plan: Plan): string {
  const { forNode } = plan.definition;
  return forNode === undefined ? paramsOf(plan) : encode(forNode(plan.args));
}

/** No params end like this: what is kept there is found by those alone whom partners answer. */
export function paidKeyOf(plan: Plan): string {
  return `${paramsOf(plan)}p`;
}

/** On disk the calls of all methods are together. */
export function diskKeyOf(plan: Plan): string {
  return plan.definition.method + paramsOf(plan);
}

/** The hash of `paramsOf`, computed once for each call. */
export function hashOf(plan: Plan): number {
  if (plan.hash === 0) plan.hash = textHash(paramsOf(plan));
  return plan.hash;
}

/** Calls of one flight must be content with one and the same answer. */
export function flightKeyOf(plan: Plan): string {
  const { minBlock, block, partner, future } = plan;
  const key = paramsOf(plan);
  // The same text as in the cache: it is hashed once.
  if (!partner && !future && minBlock <= block) return key;
  return `${key}${partner ? "p" : ""}${future ? "f" : ""}${minBlock > block ? minBlock : ""}`;
}

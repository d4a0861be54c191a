import type { JsonValue } from "../../jsonrpc/value.ts";
import type { Plan } from "../network.ts";

/** Whether the answer is about the node itself or about now, or the call asks for `pending`. */
export function isOfMoment({ definition, args }: Pick<Plan, "definition" | "args">): boolean {
  const { block, filter } = definition.places;
  if (definition.cache === "never" || isPending(args, block)) return true;
  const range = filter < 0 ? undefined : args[filter];
  if (!(range instanceof Map)) return false;
  return range.get("toBlock") === "pending" || range.get("fromBlock") === "pending";
}

/** Whether the parameter at this place is the tag `pending`; -1: there is no such place. */
export function isPending(args: readonly JsonValue[], place: number): boolean {
  return place >= 0 && args[place] === "pending";
}

import type { JsonValue } from "../jsonrpc/value.ts";
import type { Definition, Param } from "./definition.ts";

/**
 * The contracts that a call names, in lower case: an address, a call object's `to`, those of all calls of a simulation, a
 * log filter's addresses. Empty where it could name one and does not (a creation, a filter without addresses);
 * undefined for a method that names none. `args` as checkParams gave them; overrides do not count.
 */
export function contractsOf(
  definition: Definition,
  args: readonly JsonValue[],
): readonly string[] | undefined {
  const { params } = definition;
  for (let place = 0; place < params.length; place += 1) {
    const named = namedBy((params[place] as Param).role, args[place]);
    if (named !== undefined) return named;
  }
  return undefined;
}

function namedBy(role: Param["role"], value: JsonValue | undefined): string[] | undefined {
  switch (role) {
    case "contract":
      return addresses(value);
    case "call":
      return addresses(value instanceof Map ? value.get("to") : undefined);
    case "simulation":
      return simulated(value);
    case "filter":
      // Of logs, and of traces.
      return addresses(
        value instanceof Map ? (value.get("address") ?? value.get("toAddress")) : undefined,
      );
    case "block":
    case "block-count":
    case "block-hash":
    case "slot":
    case "config":
    case undefined:
      return undefined;
  }
}

/** Empty where one of the calls is a creation, or there are none. */
function simulated(value: JsonValue | undefined): string[] {
  const blocks = value instanceof Map ? value.get("blockStateCalls") : undefined;
  const calls = membersOf(blocks).flatMap((block) =>
    membersOf(block instanceof Map ? block.get("calls") : undefined),
  );
  const named = calls.map((call) => addresses(call instanceof Map ? call.get("to") : undefined));
  return named.every(({ length }) => length > 0) ? named.flat() : [];
}

const membersOf = (value: JsonValue | undefined): readonly JsonValue[] =>
  Array.isArray(value) ? value : [];

function addresses(value: JsonValue | undefined): string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

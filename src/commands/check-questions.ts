import type { Definition, Param } from "../methods/definition.ts";
import { EVM_METHODS } from "../methods/registry.ts";

export type CheckQuestion = { readonly method: string; readonly params: readonly unknown[] };

const ZERO_ADDRESS = `0x${"00".repeat(20)}`;
const ZERO_HASH = `0x${"00".repeat(32)}`;

/** By a parameter's role, else its name: values that cost a node next to nothing. */
const CHEAP: Readonly<Record<string, unknown>> = {
  "block-hash": ZERO_HASH,
  call: { from: ZERO_ADDRESS, to: ZERO_ADDRESS },
  contract: ZERO_ADDRESS,
  filter: { blockHash: ZERO_HASH },
  "transaction hash": ZERO_HASH,
  "transaction details flag": false,
  address: ZERO_ADDRESS,
  position: "0x0",
  "storage keys": [],
  index: "0x0",
  "block count": "0x1",
  "reward percentiles": [],
};

/**
 * For each method that Tollgate asks nodes for, a question that costs next to nothing. A node that has
 * the method may answer with null or an error, but not that it does not know it.
 */
export const CHECK_QUESTIONS: readonly CheckQuestion[] = Object.freeze(
  EVM_METHODS.filter(({ cache }) => cache !== "constant").map(cheapest),
);

function cheapest(definition: Definition): CheckQuestion {
  const { method, params } = definition;
  const last = params.findLastIndex((param) => valueFor(param, definition) !== undefined);
  return { method, params: params.slice(0, last + 1).map((param) => valueFor(param, definition)) };
}

/** Undefined for what is left out: overrides. */
function valueFor({ role, name }: Param, { state }: Definition): unknown {
  // Genesis has no transactions; the state of an old block is what a node may lack.
  if (role === "block") return state ? "latest" : "0x0";
  return CHEAP[role ?? name] ?? CHEAP[name];
}

import type { Definition, Param } from "../../methods/definition.ts";
import { EVM_METHODS, SLOT_METHODS } from "../../methods/registry.ts";
import type { CheckQuestion } from "./check-upstream.ts";

const ZERO_ADDRESS = `0x${"00".repeat(20)}`;
const ZERO_HASH = `0x${"00".repeat(32)}`;

/** By a parameter's role, else its name: values that cost a node next to nothing. */
const CHEAP: Readonly<Record<string, unknown>> = {
  "block-hash": ZERO_HASH,
  call: { from: ZERO_ADDRESS, to: ZERO_ADDRESS },
  simulation: { blockStateCalls: [{}] },
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

const SYSTEM_PROGRAM = "1".repeat(32);

/** The same for slot networks, by a parameter's name: of the first slot, and of what is nowhere. */
const CHEAP_OF_SLOTS: Readonly<Record<string, unknown>> = {
  slot: 0,
  "start slot": 0,
  "end slot": 0,
  limit: 1,
  signature: "1".repeat(64),
  signatures: [],
  address: SYSTEM_PROGRAM,
  addresses: [],
  blockhash: SYSTEM_PROGRAM,
  message: "",
  transaction: "",
  filter: { mint: SYSTEM_PROGRAM },
  length: 0,
};

/** Facts of a node itself, which many leave out. */
const OF_NODES: ReadonlySet<string> = new Set([
  "eth_coinbase",
  "eth_config",
  "eth_hashrate",
  "eth_mining",
  "eth_protocolVersion",
  "net_peerCount",
]);

/** They look through all accounts of a node that keeps no index of them, or are answered with megabytes. */
const TOO_DEAR: ReadonlySet<string> = new Set([
  "getProgramAccounts",
  "getLargestAccounts",
  "getSupply",
  "getVoteAccounts",
  "getLeaderSchedule",
  "getClusterNodes",
]);

/**
 * For each method that nodes have to have, a question that costs next to nothing. A node that has
 * the method may answer with null or an error, but not that it does not know it.
 */
export const EVM_QUESTIONS: readonly CheckQuestion[] = Object.freeze(
  EVM_METHODS.filter(
    ({ cache, method, instead }) =>
      cache !== "constant" && instead === undefined && !OF_NODES.has(method),
  ).map((definition) => cheapest(definition, evmValue)),
);

export const SLOT_QUESTIONS: readonly CheckQuestion[] = Object.freeze(
  SLOT_METHODS.filter(({ cache, method }) => cache !== "constant" && !TOO_DEAR.has(method)).map(
    (definition) => cheapest(definition, ({ name }) => CHEAP_OF_SLOTS[name]),
  ),
);

function cheapest(
  definition: Definition,
  valueFor: (param: Param, definition: Definition) => unknown,
): CheckQuestion {
  const { method, params } = definition;
  const values = params.map((param) => valueFor(param, definition));
  const last = values.findLastIndex((value) => value !== undefined);
  return { method, params: values.slice(0, last + 1) };
}

/** Undefined for what is left out: overrides. */
function evmValue({ role, name }: Param, { state }: Definition): unknown {
  // Genesis has no transactions; the state of an old block is what a node may lack.
  if (role === "block") return state ? "latest" : "0x0";
  return CHEAP[role ?? name] ?? CHEAP[name];
}

import type { ErrorObject } from "./rig.ts";

/** A node's own answer, or the gateway's; neither member where it is no JSON-RPC. */
export type Answer = { readonly result?: unknown; readonly error?: ErrorObject };

type Difference = {
  /** The whole of what differs, as `changes` words it. */
  readonly change: RegExp;
  /** All cases, where it is absent. */
  readonly cases?: RegExp;
  readonly nodes: readonly string[];
  readonly reason: string;
};

/** The results of fixtures/evm, in the place of a node. */
export const CHAINS = "fixtures/evm";
const GANACHE = ["ganache", "ganache-london"];
const HARDHAT = ["hardhat2", "hardhat3"];
const ANVIL = ["anvil", "anvil-london"];
const ALL = [...ANVIL, "ethjs", ...GANACHE, "geth", ...HARDHAT];
const ALL_BUT_GETH = ALL.filter((node) => node !== "geth");

/** THE table of how an answer differs from the node's own, and why; the first row that fits counts. */
const DIFFERENCES: readonly Difference[] = [
  {
    change: /^result: result\.totalDifficulty other, not absent$/,
    nodes: ["geth"],
    reason: "always on blocks: of difficulty 0x0 it is the network's finalTotalDifficulty",
  },
  {
    change: /^result: result\.totalDifficulty null, not absent$/,
    nodes: ["geth", CHAINS],
    reason: "always on blocks and uncles: null where no one knows it",
  },
  {
    change: /^result: result\.(hash|nonce|logsBloom|number) null, not other$/,
    cases: /pending/,
    nodes: [...ALL.filter((node) => node !== "ethjs"), CHAINS],
    reason: "documented as null on the pending block",
  },
  {
    change: /^result: result\.(transactions\[\]\.)?(blockHash|blockNumber|transactionIndex) null, /,
    cases: /^pending_|pending-fullTx/,
    nodes: [...ANVIL, ...GANACHE, "geth", CHAINS],
    reason: "documented as null on a pending transaction",
  },
  {
    change: /^result: result other, not other$/,
    cases: /^storage_/,
    nodes: GANACHE,
    reason: "storage values are padded to 32 bytes",
  },
  {
    change: /^result: result\.storageProof\[\]\.key other, not other$/,
    cases: /eth_getProof$/,
    nodes: GANACHE,
    reason: "storage keys of a proof are answered as the client wrote them",
  },
  {
    change: /^the gateway's: (result\[\] absent, not other|\[\], not error -32601)$/,
    cases: /accounts$/,
    nodes: ALL,
    reason: "the accounts of a node are no business of a client: always empty",
  },
  {
    change: /^the gateway's: result other, not other$/,
    cases: /net_version$/,
    nodes: GANACHE,
    reason: "the chain's id, as everywhere else: these say when they were started",
  },
  {
    change: /^the gateway's: "0x7a6[9a]", not error -32600$/,
    cases: /^env_params_null$/,
    nodes: ["ethjs", "hardhat2"],
    reason: "the chain's id is known without asking, and params null are none",
  },
  {
    change: /^the gateway's: null, not error -32/,
    cases: /index_(huge|u64_over)$/,
    nodes: ALL.filter((node) => node !== "ethjs"),
    reason: "no block reaches an index above 2^32",
  },
  {
    change: /^refused, not a result$/,
    cases: /_(hex_upper|uppercase_hex|index_upper|upper_0X)$/,
    nodes: [...ANVIL, ...GANACHE, "geth", ...HARDHAT],
    reason: "0X is refused by some nodes, and so by the gateway",
  },
  {
    change: /^refused, not (a result|error -32602)$/,
    cases: /_(storage_key_null|flag_null)$/,
    nodes: ALL,
    reason: "null is no value for a required parameter",
  },
  {
    change: /^refused, not (a result|error)/,
    cases: /_obj_unknown_key$/,
    nodes: ["geth"],
    reason: "an unknown key in a block object would go unseen",
  },
  {
    change: /^refused, not (a result|error -?\d+)$/,
    cases: /_input_and_data_differ$/,
    nodes: ALL,
    reason: "nodes disagree which of the two counts",
  },
  {
    change: /^refused, not a result$/,
    nodes: ALL_BUT_GETH,
    reason: "go-ethereum refuses it: what depends on the node never leaves the gateway",
  },
  {
    change: /^refused, not error -32602$/,
    nodes: ALL.filter((node) => !GANACHE.includes(node)),
    reason: "go-ethereum's words on every network, and then what would be right",
  },
  {
    change: /^refused, not error -(32000|32004|32600|32601|32603|32700)$/,
    nodes: ALL_BUT_GETH,
    reason: "a wrong parameter is -32602 on every network",
  },
  {
    change: /^refused, not error 3$/,
    cases: /^call_odd_data$/,
    nodes: ["ethjs"],
    reason: "a wrong parameter is -32602, and the node read it otherwise than it was meant",
  },
  {
    change: /^revert: code 3, not -32(000|603)$/,
    nodes: [...GANACHE, "hardhat2"],
    reason: "REVERT is code 3",
  },
  {
    change: /^revert: message$/,
    nodes: ALL_BUT_GETH,
    reason: "the reason is decoded by the gateway, in the same words for every node",
  },
  {
    change: /^revert: data hex, not an object$/,
    nodes: [...GANACHE, "hardhat2"],
    reason: "data is the payload's hex, wherever the node puts it",
  },
  {
    change: /^(halt|call_rejected): code -32000, not /,
    nodes: [...ANVIL, "ethjs", ...HARDHAT],
    reason: "what the EVM did not finish is -32000: never -32603, which viem asks for again",
  },
  {
    change: /^(halt|call_rejected): data absent, not (hex|an object)$/,
    nodes: ["ethjs", ...GANACHE, ...HARDHAT],
    reason: "only a revert has data: 0x on a halt reads like an empty revert",
  },
  {
    change: /^too_large: code -32000, not -32602$/,
    cases: /_logs_range_3$/,
    nodes: ["geth"],
    reason: "a limit of the node is -32000, with its text: the params are not wrong",
  },
  {
    change: /^block_unknown: (code -32000, not |message$|data absent, not an object$)/,
    nodes: ALL,
    reason: "header not found, in the same words for every node",
  },
  {
    change: /^(block_unknown|not_found|invalid_params): null, not error /,
    nodes: [...ANVIL, "ethjs", ...GANACHE, "geth"],
    reason: "what is not found is null, however the node says it",
  },
  {
    change: /^invalid_params: (code -32602, not |data absent, not an object$)/,
    nodes: [...GANACHE, "geth", ...HARDHAT],
    reason: "a wrong parameter is -32602 on every network, and has no data",
  },
  {
    change: /^method_unknown: (code -32601, not |message$|data absent, not an object$)/,
    nodes: ["ethjs", ...GANACHE, ...HARDHAT],
    reason: "a method that no node has is -32601, in the gateway's words",
  },
  {
    change: /^indexing: data absent, not text$/,
    nodes: ["geth"],
    reason: "data is passed on only where it is hex",
  },
  {
    change: /^(timeout|internal|unauthorized): /,
    nodes: ["geth", "hardhat3"],
    reason: "what a node says of itself is not the client's affair: 503, no upstream could answer",
  },
];

/** A change that was found in a recorded case. */
export type Change = { readonly node: string; readonly name: string; readonly change: string };

/** The place of the first row that fits, -1 for none. */
const rowOf = ({ name, change }: Change): number =>
  DIFFERENCES.findIndex((row) => row.change.test(change) && (row.cases?.test(name) ?? true));

/** The changes that no row lists for their node. */
export const unlisted = (found: readonly Change[]): Change[] =>
  found.filter((each) => DIFFERENCES[rowOf(each)]?.nodes.includes(each.node) !== true);

/** What the table lists for these nodes and nobody found. */
export function unused(found: readonly Change[], nodes: readonly string[]): string[] {
  const used = new Set(found.map((each) => `${rowOf(each)} ${each.node}`));
  return DIFFERENCES.flatMap((row, place) =>
    row.nodes
      .filter((node) => nodes.includes(node) && !used.has(`${place} ${node}`))
      .map((node) => `${node}: ${row.change}: ${row.reason}`),
  );
}

/** What a client gets otherwise than from the node itself, without HTTP's status: a text for each. */
export function changes(node: Answer, client: Answer): string[] {
  const said = node.error === undefined ? "a result" : `error ${node.error.code}`;
  if (client.error === undefined) {
    if (node.error !== undefined) return [`${short(client.result)}, not ${said}`];
    return [...new Set(changedPlaces(node.result, client.result, "result"))];
  }
  if (node.error === undefined) return [`error ${client.error.code}, not ${said}`];
  const { code, message, data } = client.error;
  const found: string[] = [];
  if (code !== node.error.code) found.push(`code ${code}, not ${node.error.code}`);
  if (message !== node.error.message) found.push("message");
  if (short(data) !== short(node.error.data)) {
    found.push(`data ${dataKind(data)}, not ${dataKind(node.error.data)}`);
  }
  return found;
}

export const sourceOf = (node: Answer): string =>
  node.error === undefined ? "a result" : `error ${node.error.code}`;

function dataKind(data: unknown): string {
  if (typeof data === "object") return "an object";
  if (typeof data !== "string") return "absent";
  return /^0x[0-9a-f]*$/i.test(data) ? "hex" : "text";
}

const short = (value: unknown): string => JSON.stringify(value) ?? "absent";

function changedPlaces(from: unknown, to: unknown, place: string): string[] {
  if (isTree(from) && isTree(to) && Array.isArray(from) === Array.isArray(to)) {
    const names = new Set([...Object.keys(from), ...Object.keys(to)]);
    return [...names].flatMap((name) =>
      changedPlaces(from[name], to[name], `${place}${Array.isArray(from) ? "[]" : `.${name}`}`),
    );
  }
  return short(from) === short(to) ? [] : [`${place} ${kind(to)}, not ${kind(from)}`];
}

const isTree = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const kind = (value: unknown): string =>
  value === undefined ? "absent" : value === null ? "null" : "other";

import type { UpstreamRequest } from "../../src/transports/transport.ts";
import type { UpstreamAnswer } from "../../src/transports/upstream-answer.ts";
import {
  ancestor,
  type Block,
  CHAIN_ID,
  isOn,
  type SimulatedChain,
  WRONG_CHAIN_ID,
} from "./simulated-chain.ts";
import { logsJsonOf } from "./simulated-logs.ts";

/** A node as it is at the moment at which it works on a request. */
export type NodeState = {
  readonly tip: Block;
  readonly chain: SimulatedChain;
  /** It keeps the states of so many of its newest blocks. */
  readonly states: number;
  readonly lacks: readonly string[];
  /** It finds nothing; `heads`: not even its own head. */
  readonly nulls: "none" | "lookups" | "heads";
};

const SAFE_DEPTH = 2;
const FINALIZED_DEPTH = 5;
/** Of a node of the right chain; of another one it is `0xbad`. */
export const GAS_PRICE = "0x3b9aca00";

const result = (json: string): UpstreamAnswer => ({
  kind: "result",
  result: [Buffer.from(json, "latin1")],
});
const failure = (code: number, message: string): UpstreamAnswer => ({
  kind: "error",
  status: 200,
  error: { code, message },
});
const NULL = result("null");

/** What a node answers that is well but may lag, lack things, or be of another chain. */
export function answerOf(node: NodeState, { method, params }: UpstreamRequest): UpstreamAnswer {
  if (node.lacks.includes(method)) {
    return failure(-32601, `the method ${method} does not exist/is not available`);
  }
  const [first, second] = JSON.parse(params);
  const isPoll = method === "eth_getBlockByNumber" && first === "latest";
  const isLookUp = method.startsWith("eth_getBlock") || method.startsWith("eth_getTransaction");
  if (isLookUp && (node.nulls === "heads" || (node.nulls === "lookups" && !isPoll))) return NULL;
  switch (method) {
    case "eth_chainId":
      return result(`"0x${(node.tip.isRight ? CHAIN_ID : WRONG_CHAIN_ID).toString(16)}"`);
    case "eth_gasPrice":
      return result(node.tip.isRight ? `"${GAS_PRICE}"` : '"0xbad"');
    case "eth_getBlockByNumber":
      return result(numbered(node, first)?.json ?? "null");
    case "eth_getBlockByHash":
      return result(hashed(node, first)?.json ?? "null");
    case "eth_getBlockReceipts": {
      const block = numbered(node, first);
      return block === undefined ? NULL : result(`[${placeOf(block)}]`);
    }
    case "eth_getTransactionByHash":
    case "eth_getTransactionReceipt":
      return transaction(node, first);
    case "eth_getLogs":
      return first.blockHash === undefined ? logs(node, first) : logsOfBlock(node, first.blockHash);
    default:
      return fromState(node, second);
  }
}

function numbered({ tip }: NodeState, reference: string): Block | undefined {
  switch (reference) {
    case "latest":
    case "pending":
      return tip;
    case "safe":
      return ancestor(tip, Math.max(tip.number - SAFE_DEPTH, 0));
    case "finalized":
      return ancestor(tip, Math.max(tip.number - FINALIZED_DEPTH, 0));
    default:
      return ancestor(tip, Number(reference));
  }
}

function hashed({ tip, chain }: NodeState, hash: string): Block | undefined {
  const block = chain.find(hash);
  return block !== undefined && isOn(tip, block) ? block : undefined;
}

const placeOf = ({ hash, number, transaction: tx }: Block): string =>
  `{"blockHash":"${hash}","blockNumber":"0x${number.toString(16)}","hash":"${tx}","transactionHash":"${tx}"}`;

/** The number stands in a transaction's hash. */
export const numberIn = (hash: string): number => Number.parseInt(hash.slice(10, 18), 16);

function transaction({ tip }: NodeState, hash: string): UpstreamAnswer {
  const block = ancestor(tip, numberIn(hash));
  return block?.transaction === hash ? result(placeOf(block)) : NULL;
}

/** As nodes do that say nothing of the blocks which they do not have. */
function logs({ tip }: NodeState, { fromBlock, toBlock }: Record<string, string>): UpstreamAnswer {
  const found: string[] = [];
  for (let number = Number(fromBlock); number <= Number(toBlock); number += 1) {
    const block = ancestor(tip, number);
    if (block !== undefined) found.push(placeOf(block));
  }
  return result(`[${found.join(",")}]`);
}

function logsOfBlock(node: NodeState, hash: string): UpstreamAnswer {
  const block = hashed(node, hash);
  return block === undefined ? failure(-32000, "unknown block") : result(logsJsonOf(block));
}

/** The block's hash stands for what is computed from its state. */
function fromState(node: NodeState, reference: string | { readonly blockHash: string }) {
  const block =
    typeof reference === "string" ? numbered(node, reference) : hashed(node, reference.blockHash);
  if (block === undefined) return failure(-32000, "header not found");
  if (node.tip.number - block.number >= node.states) {
    return failure(-32000, "missing trie node 1f2e3d (path ) state is not available");
  }
  return result(`"${block.hash}"`);
}

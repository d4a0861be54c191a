import type { Fault } from "./faults.ts";

export type RpcCall = {
  readonly id?: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
};
export type RpcAnswer =
  | { readonly result: unknown }
  | {
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
    };
/** Asks the real node. */
export type Ask = (method: string, params: readonly unknown[]) => Promise<RpcAnswer>;

/** What a node that sees another chain than it should says in place of the real one. */
export type View = {
  readonly answer: (call: RpcCall) => Promise<RpcAnswer>;
  /** A new head as the node would announce it; undefined where it would not. */
  readonly head: (header: Fields) => Promise<Fields | undefined>;
};
export type Fields = Readonly<Record<string, unknown>>;

/** Look-ups that name a block by number or tag first. */
const BY_NUMBER = new Set([
  "eth_getBlockByNumber",
  "eth_getBlockReceipts",
  "eth_getBlockTransactionCountByNumber",
  "eth_getTransactionByBlockNumberAndIndex",
  "eth_getUncleByBlockNumberAndIndex",
  "eth_getUncleCountByBlockNumber",
  "eth_getHeaderByNumber",
  "eth_getRawTransactionByBlockNumberAndIndex",
]);
/** Look-ups that name a block or transaction by hash first. */
const BY_HASH = new Set([
  "eth_getBlockByHash",
  "eth_getBlockTransactionCountByHash",
  "eth_getTransactionByBlockHashAndIndex",
  "eth_getUncleByBlockHashAndIndex",
  "eth_getUncleCountByBlockHash",
  "eth_getTransactionByHash",
  "eth_getTransactionReceipt",
  "eth_getHeaderByHash",
  "eth_getRawTransactionByHash",
  "eth_getRawTransactionByBlockHashAndIndex",
]);
const isLookUp = (method: string): boolean => BY_NUMBER.has(method) || BY_HASH.has(method);

/** Where the other methods name their block. */
const BLOCK_AT: Readonly<Record<string, number>> = {
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
  eth_getProof: 2,
  eth_call: 1,
  eth_estimateGas: 1,
  eth_createAccessList: 1,
  eth_simulateV1: 1,
  eth_feeHistory: 1,
};

const HEADER_NOT_FOUND = { error: { code: -32_000, message: "header not found" } };
const hex = (value: number): string => `0x${value.toString(16)}`;
const resultOf = (answer: RpcAnswer): unknown => ("result" in answer ? answer.result : null);

/** undefined where the node says what it knows. @throws where the real node does not answer */
export async function viewFor(fault: Fault, ask: Ask): Promise<View | undefined> {
  switch (fault.kind) {
    case "stale":
      return staleView(ask, Number(resultOf(await ask("eth_blockNumber", []))));
    case "forked":
      return forkedView(ask, fault.from);
    case "nulls":
      return nullsView(ask, fault.except);
    case "other-chain":
      return otherChainView(ask, fault.chainId);
    default:
      return undefined;
  }
}

/** As a real node that has block `last` and none above: null, or `header not found`. */
function staleView(ask: Ask, last: number): View {
  const numberOf = async (block: unknown): Promise<number | null> => {
    if (block === undefined || block === "latest" || block === "pending") return last;
    if (block === "earliest") return 0;
    if (block === "safe" || block === "finalized") {
      return Math.min(last, (await real("eth_getBlockByNumber", [block, false])) ?? 0);
    }
    if (typeof block === "object" && block !== null) {
      const { blockHash, blockNumber } = block as Fields;
      return numberOf(blockNumber ?? blockHash);
    }
    const text = String(block);
    return text.length < 66 ? Number(text) : real("eth_getBlockByHash", [text, false]);
  };
  const real = async (method: string, params: readonly unknown[]): Promise<number | null> => {
    const block = resultOf(await ask(method, params)) as Fields | null;
    return block === null ? null : Number(block["number"]);
  };
  const has = (number: number | null) => number !== null && number <= last;

  const answerAtBlock = async ({ method, params }: RpcCall, at: number): Promise<RpcAnswer> => {
    const number = await numberOf(params[at]);
    if (!has(number)) return isLookUp(method) ? { result: null } : HEADER_NOT_FOUND;
    const byNumber = typeof params[at] !== "string" || String(params[at]).length < 66;
    const inFull = [...params];
    if (byNumber && !isBlockHash(params[at])) inFull[at] = hex(number ?? 0);
    return ask(method, inFull);
  };
  const answerLogs = async ([filter]: readonly unknown[]): Promise<RpcAnswer> => {
    const { fromBlock, toBlock, blockHash, ...rest } = filter as Fields;
    if (blockHash !== undefined) {
      if (!has(await numberOf(blockHash))) return HEADER_NOT_FOUND;
      return ask("eth_getLogs", [filter]);
    }
    const from = (await numberOf(fromBlock)) ?? 0;
    const to = Math.min(last, (await numberOf(toBlock)) ?? last);
    if (from > to) return { result: [] };
    return ask("eth_getLogs", [{ ...rest, fromBlock: hex(from), toBlock: hex(to) }]);
  };
  const answerTransaction = async ({ method, params }: RpcCall): Promise<RpcAnswer> => {
    const answer = await ask(method, params);
    const found = resultOf(answer) as Fields | null;
    const number = found?.["blockNumber"];
    return found === null || number === null || has(Number(number)) ? answer : { result: null };
  };
  return {
    answer: async (call) => {
      const { method, params } = call;
      if (method === "eth_blockNumber") return { result: hex(last) };
      if (method === "eth_getLogs") return answerLogs(params);
      if (method.startsWith("eth_getTransactionBy") && params.length === 1) {
        return answerTransaction(call);
      }
      if (method === "eth_getTransactionReceipt") return answerTransaction(call);
      if (method === "eth_getRawTransactionByHash") {
        const known = await answerTransaction({ method: "eth_getTransactionByHash", params });
        return resultOf(known) === null ? { result: null } : ask(method, params);
      }
      const at = isLookUp(method) ? 0 : BLOCK_AT[method];
      return at === undefined ? ask(method, params) : answerAtBlock(call, at);
    },
    head: async (header) => (has(Number(header["number"])) ? header : undefined),
  };
}

const isBlockHash = (block: unknown): boolean =>
  typeof block === "object" && block !== null && "blockHash" in block;

/** The same blocks under other hashes from `from` on; the real hashes are unknown to it. */
function forkedView(ask: Ask, from: number): View {
  const hashes = new Set<string>();
  let known = from - 1;
  const learn = async () => {
    const head = Number(resultOf(await ask("eth_blockNumber", [])));
    while (known < head) {
      const block = resultOf(await ask("eth_getBlockByNumber", [hex(known + 1), false]));
      hashes.add(String((block as Fields)["hash"]));
      known += 1;
    }
  };
  // The same in both directions: what the fork calls its block, and what the node calls it.
  const swap = <Value>(value: Value): Value => {
    const text = JSON.stringify(value).replaceAll(/0x[0-9a-f]{64}(?![0-9a-f])/g, (hash) => {
      const other = invert(hash);
      return hashes.has(hash) || hashes.has(other) ? other : hash;
    });
    return JSON.parse(text) as Value;
  };
  return {
    answer: async ({ method, params }) => {
      await learn();
      return swap(await ask(method, swap(params)));
    },
    head: async (header) => {
      await learn();
      return swap(header);
    },
  };
}

/** The first eight digits inverted: again, and it is the first hash. */
function invert(hash: string): string {
  const digits = [...hash.slice(2, 10)].map((digit) =>
    (15 - Number.parseInt(digit, 16)).toString(16),
  );
  return `0x${digits.join("")}${hash.slice(10)}`;
}

function nullsView(ask: Ask, except: ReadonlySet<string>): View {
  const isKnown = async ([first]: readonly unknown[]): Promise<boolean> => {
    if (isBlockHash(first)) return except.has(String((first as Fields)["blockHash"]));
    const text = String(first);
    if (text.startsWith("0x")) return except.has(text);
    const block = resultOf(await ask("eth_getBlockByNumber", [text, false])) as Fields | null;
    return block !== null && except.has(String(block["number"]));
  };
  return {
    answer: async ({ method, params }) =>
      isLookUp(method) && !(await isKnown(params)) ? { result: null } : ask(method, params),
    head: async (header) => (except.has(String(header["hash"])) ? header : undefined),
  };
}

function otherChainView(ask: Ask, chainId: number): View {
  const { answer, head } = forkedView(ask, 0);
  return {
    answer: async (call) => {
      if (call.method === "eth_chainId") return { result: hex(chainId) };
      if (call.method === "net_version") return { result: String(chainId) };
      return answer(call);
    },
    head,
  };
}

/** Every hash and block number that an answer, or the question that had one, shows to exist. */
export function shownBy({ method, params }: RpcCall, answer: RpcAnswer): string[] {
  const result = resultOf(answer);
  if (!isLookUp(method) || result === null) return [];
  const { number, blockNumber, hash } = result as Fields;
  return [params[0], number, blockNumber, hash].filter((each) => typeof each === "string");
}

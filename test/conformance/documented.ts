/** An answer of a node or of the gateway, its envelope aside. */
export type Answer =
  | { readonly result: unknown }
  | {
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
    };

type Fields = Readonly<Record<string, unknown>>;

/** What a network's configuration chooses of the documented shapes. */
export type Choices = {
  readonly pendingBlock: "documented" | "node";
  readonly signatures: "node" | "padded";
  readonly finalTotalDifficulty?: string;
};

export type Question = { readonly method: string; readonly params: readonly unknown[] };

const BLOCKS = ["eth_getBlockByHash", "eth_getBlockByNumber"];
const TRANSACTIONS = [
  "eth_getTransactionByHash",
  "eth_getTransactionByBlockHashAndIndex",
  "eth_getTransactionByBlockNumberAndIndex",
];
/** What is found or not: null where it is not, however a node says it. */
const LOOK_UPS = [
  ...BLOCKS,
  ...TRANSACTIONS,
  "eth_getTransactionReceipt",
  "eth_getBlockReceipts",
  "eth_getBlockTransactionCountByHash",
  "eth_getBlockTransactionCountByNumber",
  "eth_getUncleByBlockHashAndIndex",
  "eth_getUncleByBlockNumberAndIndex",
  "eth_getUncleCountByBlockHash",
  "eth_getUncleCountByBlockNumber",
  "eth_getHeaderByHash",
  "eth_getHeaderByNumber",
  "eth_getRawTransactionByHash",
  "eth_getRawTransactionByBlockHashAndIndex",
  "eth_getRawTransactionByBlockNumberAndIndex",
  "debug_traceTransaction",
  "trace_transaction",
  "trace_replayTransaction",
];
/** Those that anvil does not have, with the block that they are a part of. */
const HEADERS: Readonly<Record<string, string>> = {
  eth_getHeaderByHash: "eth_getBlockByHash",
  eth_getHeaderByNumber: "eth_getBlockByNumber",
};
const isHeader = (method: string): boolean => method in HEADERS;
/** How anvil says that there is no such block. */
const UNKNOWN_BLOCK = /^(?:Resource not found|BlockOutOfRangeError: .*)$/;
const SIMULATIONS = ["eth_call", "eth_estimateGas", "eth_createAccessList"];
/** The state methods with the number of their params; the last, the block, is `latest` by default. */
const DEFAULT_LATEST: Readonly<Record<string, number>> = {
  eth_getBalance: 2,
  eth_getCode: 2,
  eth_getTransactionCount: 2,
  eth_getStorageAt: 3,
  eth_getProof: 3,
  eth_call: 2,
  eth_estimateGas: 2,
  eth_createAccessList: 2,
  eth_simulateV1: 2,
  debug_traceCall: 2,
  trace_call: 3,
};
const PANICS: Readonly<Record<number, string>> = { 18: "division or modulo by zero" };

/** The question as anvil wants it: with its block spelled out, and of the block in place of its header. */
export function inFull({ method, params }: Question): Question {
  const whole = HEADERS[method];
  if (whole !== undefined) return { method: whole, params: [...params, false] };
  const lacksBlock = params.length + 1 === DEFAULT_LATEST[method];
  return { method, params: lacksBlock ? [...params, "latest"] : params };
}

/**
 * What a client gets where the node answers so: the specification's objects and errors, written
 * down once more, on parsed values and apart from the program.
 */
export function documented(question: Question, answer: Answer, choices: Choices): Answer {
  return "error" in answer
    ? documentedError(question, answer.error)
    : { result: documentedResult(question, answer.result, choices) };
}

function documentedResult({ method, params }: Question, result: unknown, choices: Choices) {
  const pending = params[0] === "pending";
  if (method === "eth_getStorageAt") return pad(result);
  if (result === null) return null;
  if (isHeader(method)) return header(result as Fields);
  if (BLOCKS.includes(method)) return block(result as Fields, pending, choices);
  if (TRANSACTIONS.includes(method)) return transaction(result as Fields, pending, choices);
  return result;
}

function header(given: Fields): Fields {
  const { transactions, uncles, withdrawals, size, totalDifficulty, ...rest } = given;
  return rest;
}

function block(given: Fields, pending: boolean, choices: Choices): Fields {
  const transactions = given["transactions"] as (Fields | string)[];
  const final = given["difficulty"] === "0x0" ? choices.finalTotalDifficulty : undefined;
  const nulls = { hash: null, nonce: null, logsBloom: null, number: null };
  return {
    ...given,
    totalDifficulty: given["totalDifficulty"] ?? final ?? null,
    transactions: transactions.map((element) =>
      typeof element === "string" ? element : transaction(element, pending, choices),
    ),
    ...(pending && choices.pendingBlock === "documented" && nulls),
  };
}

function transaction(given: Fields, pending: boolean, choices: Choices): Fields {
  const noPlace = { blockHash: null, blockNumber: null, transactionIndex: null };
  const isPending = pending || given["blockHash"] === null;
  return {
    ...given,
    ...(isPending && choices.pendingBlock === "documented" && noPlace),
    ...(choices.signatures === "padded" && { r: pad(given["r"]), s: pad(given["s"]) }),
  };
}

function documentedError(
  { method }: Question,
  error: { readonly code: number; readonly message: string; readonly data?: unknown },
): Answer {
  if (error.code === 3) {
    const reason = reasonOf(String(error.data));
    const message = `execution reverted${reason === undefined ? "" : `: ${reason}`}`;
    return { error: { code: 3, message, data: error.data } };
  }
  if (error.code === -32601) {
    return {
      error: { code: -32601, message: `the method ${method} does not exist/is not available` },
    };
  }
  if (UNKNOWN_BLOCK.test(error.message)) {
    if (LOOK_UPS.includes(method)) return { result: null };
    return { error: { code: -32000, message: "header not found" } };
  }
  // A call that fails otherwise has the node's text, and never -32603, which clients retry.
  return { error: SIMULATIONS.includes(method) ? { ...error, code: -32000 } : error };
}

/** Error(string) and Panic(uint256); undefined for custom errors and for none. */
function reasonOf(data: string): string | undefined {
  const bytes = Buffer.from(data.slice(2), "hex");
  switch (data.slice(0, 10)) {
    case "0x08c379a0":
      return bytes.toString("utf8", 68, 68 + bytes.readUInt32BE(64));
    case "0x4e487b71":
      return PANICS[bytes.readUInt8(35)];
    default:
      return undefined;
  }
}

const pad = (word: unknown): string => `0x${String(word).slice(2).padStart(64, "0")}`;

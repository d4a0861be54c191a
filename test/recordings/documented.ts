import type { Ending, RecordedClasses } from "./failure-classes.ts";
import { endingOf } from "./failure-classes.ts";
import type { RecordedCall, RecordedChain, Request } from "./recorded-calls.ts";
import type { ErrorObject } from "./rig.ts";

/** What a client is to get for a call, and whether a node is asked for it. */
export type Wanted =
  /** Refused by the gateway: -32602, a text that says this and then what would be right. */
  | { readonly kind: "refused"; readonly text: string | RegExp }
  | { readonly kind: "own"; readonly result: unknown }
  /** `means`: `result`, or the class of the failure that the node told. */
  | { readonly kind: "node"; readonly means: string; readonly ending: Ending };

export type ShapeChoice = {
  readonly finalTotalDifficulty?: string;
  readonly pendingBlock?: "documented" | "node";
  readonly signatures?: "node" | "padded";
};

/** Params that go-ethereum takes, or refuses later, and the gateway refuses: docs/decisions.md, "Params". */
const REFUSED_TOO: readonly (readonly [cases: RegExp, text: RegExp])[] = [
  [
    /_(hex_upper|uppercase_hex|index_upper|upper_0X)$/,
    /^(invalid argument \d: .*(0x prefix|invalid hex)|invalid hex in storage key)/,
  ],
  [/_(storage_key_null|flag_null)$/, /^invalid argument \d: json: cannot unmarshal null/],
  [/_obj_unknown_key$/, /^invalid argument \d: .*unknown field/],
  [/_input_and_data_differ$/, /^invalid argument 0: .*are set and not equal/],
];
/** What go-ethereum refuses for the sake of its limits, not of the params. */
const LEFT_TO_NODES = /_logs_range_3$/;

const LOOK_UP = /^eth_get(Block|Uncle|Transaction(By|Receipt))/;

/**
 * What docs/decisions.md, "Answers of nodes", says that a client gets of a recorded call. `strictest` is go-ethereum's answer
 * to the same case: what it refuses as -32602 never leaves the gateway, in its words.
 */
export function documented(
  call: RecordedCall,
  strictest: ErrorObject | undefined,
  parts: {
    readonly classes: RecordedClasses;
    readonly choice: ShapeChoice;
    readonly chain: RecordedChain;
  },
): Wanted {
  const { request, name } = call;
  const own = knownWithoutChain(request);
  if (own !== undefined) return { kind: "own", result: own };
  if (strictest?.code === -32602 && !LEFT_TO_NODES.test(name)) {
    return { kind: "refused", text: String(strictest.message) };
  }
  const [, text] = REFUSED_TOO.find(([cases]) => cases.test(name)) ?? [];
  if (text !== undefined) return { kind: "refused", text };
  const known = knownOfChain(request, parts.chain);
  return known === undefined ? answeredByTheNode(call, parts) : { kind: "own", result: known };
}

/** docs/decisions.md, "Heads": what is the network's, not a node's. */
function knownOfChain({ method }: Request, { chainId, head }: RecordedChain): unknown {
  if (method === "eth_chainId") return `0x${chainId.toString(16)}`;
  if (method === "net_version") return String(chainId);
  return method === "eth_blockNumber" ? `0x${head.toString(16)}` : undefined;
}

function knownWithoutChain({ method, params }: Request): unknown {
  const [, index] = Array.isArray(params) ? params : [];
  if (method === "eth_accounts") return [];
  const indexed = /Index$/.test(method) && typeof index === "string" && /^0x[1-9a-f]/.test(index);
  return indexed && BigInt(index) > 0xffffffffn ? null : undefined;
}

function answeredByTheNode(
  { request, answer, node, name }: RecordedCall,
  { classes, choice }: { readonly classes: RecordedClasses; readonly choice: ShapeChoice },
): Wanted {
  const said = parsed(answer.body);
  if (said !== undefined && said.error === undefined) {
    const result = documentedShape(request, said.result, choice);
    const ending: Ending = { status: 200, charged: true, answer: { result } };
    return { kind: "node", means: "result", ending };
  }
  const failure = classes.classOf(said?.error ?? answer);
  if (failure === undefined) throw new Error(`no class for ${node} ${name}: ${answer.body}`);
  const asked = { method: request.method, lookUp: LOOK_UP.test(request.method) };
  return { kind: "node", means: failure.class, ending: endingOf(failure, asked) };
}

export function parsed(body: string): { result?: unknown; error?: ErrorObject } | undefined {
  try {
    return JSON.parse(body) as { result?: unknown; error?: ErrorObject };
  } catch {
    return undefined;
  }
}

type Fields = { readonly [name: string]: unknown };

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const padded = (word: unknown) => `0x${String(word).slice(2).padStart(64, "0")}`;

/** docs/decisions.md, "Shapes": blocks, uncles, transactions, storage values and proofs. */
export function documentedShape(request: Request, result: unknown, choice: ShapeChoice): unknown {
  const { method, params } = request;
  const pending = Array.isArray(params) && params[0] === "pending";
  if (method === "eth_getStorageAt") return typeof result === "string" ? padded(result) : result;
  if (!isFields(result)) return result;
  if (method === "eth_getProof") return proof(result, params);
  if (/^eth_getBlockBy/.test(method)) return block(result, pending, choice);
  if (/^eth_getUncleBy/.test(method)) return { totalDifficulty: null, ...result };
  return /^eth_getTransactionBy/.test(method) ? transaction(result, pending, choice) : result;
}

/** The storage keys as the client wrote them. */
function proof(given: Fields, params: unknown): Fields {
  const [, keys] = params as [unknown, readonly string[]];
  const proofs = given["storageProof"] as readonly Fields[];
  return { ...given, storageProof: proofs.map((each, place) => ({ ...each, key: keys[place] })) };
}

function transaction(given: Fields, pending: boolean, choice: ShapeChoice): Fields {
  const { r, s, blockHash } = given;
  const nowhere = { blockHash: null, blockNumber: null, transactionIndex: null };
  const documentedPending = choice.pendingBlock !== "node" && (pending || blockHash === null);
  return {
    ...given,
    ...(documentedPending && nowhere),
    ...(choice.signatures === "padded" && { r: padded(r), s: padded(s) }),
  };
}

function block(given: Fields, pending: boolean, choice: ShapeChoice): Fields {
  const { totalDifficulty, difficulty, transactions } = given;
  const final = difficulty === "0x0" ? choice.finalTotalDifficulty : undefined;
  const unsealed = { hash: null, nonce: null, logsBloom: null, number: null };
  return {
    ...given,
    totalDifficulty: totalDifficulty ?? final ?? null,
    transactions: (transactions as unknown[]).map((each) =>
      isFields(each) ? transaction(each, pending, choice) : each,
    ),
    ...(pending && choice.pendingBlock !== "node" && unsealed),
  };
}

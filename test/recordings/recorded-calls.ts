import { readdirSync, readFileSync } from "node:fs";
import { EVM_METHODS } from "../../src/methods/registry.ts";
import type { ErrorObject, Recorded } from "./rig.ts";

export const FIXTURES = "test/fixtures";
export const NODES = readdirSync(`${FIXTURES}/nodes`)
  .filter((file) => file.endsWith(".jsonl") && file !== "revert-corpus.jsonl")
  .map((file) => file.replace(".jsonl", ""));

/** One line of a NODE.jsonl (fixtures/README.md). */
type Line = {
  readonly case: string;
  /** Which of several nodes of this kind. */
  readonly instance?: string;
  readonly chainId?: number;
  readonly transport?: "http" | "ws";
  readonly request?: unknown;
  readonly httpStatus?: number;
  /** Went through a JSON parser; where that changed a byte, `responseText` is the original. */
  readonly response?: { readonly error?: ErrorObject };
  readonly responseText?: string;
  readonly messages?: readonly { readonly text: string }[];
};

export type Request = { readonly id: unknown; readonly method: string; readonly params?: unknown };

/** A recorded call of a served method that can be made once more, and what the node said. */
export type RecordedCall = {
  readonly node: string;
  /** The network in the gateway that stands for the chain that the node had then. */
  readonly network: string;
  readonly name: string;
  readonly transport: "http" | "ws";
  readonly request: Request;
  readonly answer: Recorded;
};

type Skipped = { readonly cases: RegExp; readonly reason: string };

/** Recordings that are not replayed as calls. The envelope has tests of its own. */
export const SKIPPED: readonly Skipped[] = [
  { cases: /^_(meta|crash)$/, reason: "no call: what was asked of whom, and what killed it" },
  { cases: /(^|_)batch(es)?_/, reason: "nodes are sent a client's batch as single calls" },
  { cases: /^(geth_)?http_|_body_limit_/, reason: "the form of HTTP, which is the gateway's own" },
  { cases: /^env_(?!params_)|^geth_id_/, reason: "an envelope that no node sees" },
  {
    cases: /^(geth_)?ws_(?!ok$|revert$|id_string$)|_ws_loop_/,
    reason: "frames that hold no call, several, or a subscription",
  },
  {
    cases: /^geth_(comment|key_case|leading|method_|nan_|response_sh|single_q|two_v|whitespace)/,
    reason: "no JSON-RPC 2.0, or no method of this name",
  },
  { cases: /_halt_initcode_limit$/, reason: "its 49,153 bytes of init code are not recorded" },
];

export type Selection = {
  readonly calls: RecordedCall[];
  /** The rows that say why other lines are not replayed. */
  readonly skipped: Set<Skipped>;
  /** Lines that are neither a call nor skipped for a listed reason. */
  readonly unexplained: string[];
};

/** The recorded calls of served methods of one node. */
export function select(node: string): Selection {
  const found: Selection = { calls: [], skipped: new Set(), unexplained: [] };
  for (const line of readLines(node)) {
    const row = SKIPPED.find(({ cases }) => cases.test(line.case));
    const call = toCall(node, line);
    if (row !== undefined) found.skipped.add(row);
    else if (call === undefined) found.unexplained.push(line.case);
    else if (isServed(call)) found.calls.push(call);
  }
  return found;
}

const isServed = ({ request }: RecordedCall): boolean =>
  EVM_METHODS.some(({ method }) => method === request.method);

export function readLines(node: string): Line[] {
  const text = readFileSync(`${FIXTURES}/nodes/${node}.jsonl`, "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

/** The call of a line, or undefined where it has none that can be made again. */
function toCall(node: string, line: Line): RecordedCall | undefined {
  const { case: name, transport } = line;
  if (transport === undefined || !isRequest(line.request)) return undefined;
  const isRefused = REFUSED_KEYS.test(name) && line.request.method === "eth_chainId";
  const request = isRefused ? { ...line.request, method: "eth_gasPrice" } : line.request;
  const answer = transport === "http" ? overHttp(line) : overWebSocket(line);
  return answer && { node, network: networkOf(node, line), name, transport, request, answer };
}

/** What a node says to a wrong key, whatever is asked: it was asked for what the gateway knows. */
const REFUSED_KEYS = /_authrpc_(?!good)/;

/** One for each chain that nodes of a kind had: other instances, or before its first block. */
function networkOf(node: string, { case: name, instance }: Line): string {
  const part = /^geth_(genesis_only|dev_genesis|reorg)_/.exec(name)?.[1] ?? instance;
  return part === undefined ? node : `${node}-${part.replaceAll("_", "-")}`;
}

/** What a node was when it was recorded. */
export type RecordedChain = {
  readonly chainId: number;
  readonly head: number;
  readonly tags: { readonly safe?: number; readonly finalized?: number };
};

/** The chains of a kind of node, by the networks that stand for them. */
export function chainsOf(node: string): Map<string, RecordedChain> {
  const { calls } = select(node);
  const chainId = readLines(node).find((line) => line.chainId !== undefined)?.chainId ?? 1;
  const networks = [...new Set(calls.map(({ network }) => network))];
  const ofNode = headIn(calls.filter(({ network }) => network === node)) ?? 0;
  return new Map(
    networks.map((network) => {
      const own = calls.filter((call) => call.network === network);
      const tags = { ...tagIn(own, "safe"), ...tagIn(own, "finalized") };
      return [network, { chainId, head: headIn(own) ?? ofNode, tags }];
    }),
  );
}

/** The head that it said, else the highest mined block that it spoke of, or refused a range for. */
function headIn(calls: readonly RecordedCall[]): number | undefined {
  const told = calls.find(({ request }) => request.method === "eth_blockNumber");
  if (told !== undefined) return Number(JSON.parse(told.answer.body).result);
  const mined = calls.filter(({ request }) => !JSON.stringify(request).includes("pending"));
  const numbers = mined.flatMap(({ request, answer }) => {
    const isTooLong = answer.body.includes("exceed maximum block range");
    const spoken = isTooLong ? JSON.stringify(request) : answer.body;
    const found = spoken.matchAll(/"(?:blockNumber|number|toBlock)":"(0x[0-9a-f]+)"/g);
    return [...found].map(([, hex]) => Number(hex));
  });
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

/** What it gave for a tag; nothing where it had no such block, or was not asked for it. */
function tagIn(calls: readonly RecordedCall[], tag: "safe" | "finalized") {
  for (const { request, answer } of calls) {
    const [block] = Array.isArray(request.params) ? request.params : [];
    if (request.method !== "eth_getBlockByNumber" || block !== tag) continue;
    const number = JSON.parse(answer.body).result?.number;
    if (number !== undefined) return { [tag]: Number(number) };
  }
  return {};
}

function overHttp({ httpStatus = 200, response, responseText }: Line): Recorded | undefined {
  const body = responseText ?? (response === undefined ? undefined : JSON.stringify(response));
  return body === undefined ? undefined : { status: httpStatus, body };
}

function overWebSocket({ messages = [] }: Line): Recorded | undefined {
  const [only] = messages;
  return messages.length === 1 && only ? { status: 200, body: only.text } : undefined;
}

function isRequest(value: unknown): value is Request {
  return typeof value === "object" && value !== null && "method" in value;
}

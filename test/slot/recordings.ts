import { readFileSync } from "node:fs";
import { FIXTURES } from "../recordings/recorded-calls.ts";

const SLOT = `${FIXTURES}/slot`;
const SOLANA = `${FIXTURES}/nodes/solana`;

/** A call that a node was once asked, and the text of what it answered. */
export type Recording = {
  readonly name: string;
  readonly method: string;
  /** JSON text; undefined where the call had none. */
  readonly params: string | undefined;
  readonly result?: string;
  /** JSON text of the error object. */
  readonly error?: string;
};

type AgaveLine = {
  readonly case: string;
  /** A string where it was no plain JSON. */
  readonly request: string | { readonly method: string; readonly params: unknown };
  readonly responseText: string;
};

/** Lines of agave.jsonl that are no call of a method that the gateway serves. */
export const NO_CALLS: Readonly<Record<string, string>> = {
  _meta: "no call",
  "bad json": "an envelope that no node sees",
  "empty body": "an envelope that no node sees",
  "empty batch": "nodes are sent a client's batch as single calls",
  batch: "nodes are sent a client's batch as single calls",
  notification: "no answer to compare",
  "id string": "the envelope is the gateway's own",
  "id float": "the envelope is the gateway's own",
  "id null": "the envelope is the gateway's own",
  "wrong version": "an envelope that no node sees",
  "no version": "an envelope that no node sees",
  "unknown method": "no method of this name",
  "companion getBlockCommitment": "not served",
  "companion getIdentity": "not served",
  "companion getTransactionCount": "not served",
};

export function agaveLines(): AgaveLine[] {
  const lines = readFileSync(`${SLOT}/agave.jsonl`, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as AgaveLine);
}

const CALL = /"method": ?"(\w+)"(?:, ?"params": ?(.*))?\}$/;

/** Every call of agave.jsonl. */
export function agaveCalls(): Recording[] {
  const lines = agaveLines().filter((line) => NO_CALLS[line.case] === undefined);
  return lines.map(({ case: name, request, responseText }) => {
    const text = typeof request === "string" ? request : JSON.stringify(request);
    const [, method = "", params] = CALL.exec(text) ?? [];
    return { name, method, params, ...answerIn(responseText) };
  });
}

/** The result or error of an answer, to the letter. */
function answerIn(text: string): Pick<Recording, "result" | "error"> {
  const pattern =
    /^\s*\{\s*"jsonrpc":\s*"2\.0",\s*"(result|error)":\s*(.*?)(?:,\s*"id":\s*\w+)?\s*\}\s*$/s;
  const [, kind, value] = pattern.exec(text) ?? [];
  if (kind === undefined || value === undefined) throw new Error(`no answer: ${text}`);
  return kind === "result" ? { result: value } : { error: value };
}

/** Files of fixtures/slot with what their block was asked with (INDEX.md); slots as in the names. */
const FILES: Readonly<Record<string, readonly [slot: number, config: object]>> = {
  "slot-147078735-full-json-rewards.json": [147078735, { encoding: "json", rewards: true }],
  "slot-147078735-full-jsonparsed-rewards.json": [
    147078735,
    { encoding: "jsonParsed", rewards: true },
  ],
  "slot-147078735-full-base64-rewards.json": [147078735, { encoding: "base64", rewards: true }],
  "mainnet-slot-100000000-full-json-legacy.json": [
    100000000,
    { encoding: "json", rewards: true, commitment: "finalized" },
  ],
  "mainnet-slot-100000000-full-jsonparsed-version-legacy.json": [
    100000000,
    { encoding: "jsonParsed", maxSupportedTransactionVersion: 0, rewards: true },
  ],
  "mainnet-slot-154808473-full-json-v0-loadedAddresses.json": [
    154808473,
    { encoding: "json", maxSupportedTransactionVersion: 0, rewards: false },
  ],
  "mainnet-slot-241043141-full-jsonparsed-failed.json": [
    241043141,
    { encoding: "jsonParsed", maxSupportedTransactionVersion: 0, rewards: false },
  ],
  "mainnet-slot-100000000-err-variants.json": [100000000, { encoding: "json", rewards: true }],
  "chainstorage-block-without-parent-hash.json": [1021085, { encoding: "json", rewards: true }],
};

/** Each file twice: as it was asked for, and with nothing said of rewards. */
export function wholeFiles(): Recording[] {
  return Object.entries(FILES).flatMap(([name, [slot, config]]) => {
    const text = readFileSync(`${SLOT}/${name}`, "utf8").trim();
    const { result = text } = /^\{\s*"jsonrpc"/.test(text) ? answerIn(text) : {};
    const silent = { ...config, rewards: undefined };
    return [config, silent].map((each) => ({
      name: each === config ? name : `${name}, rewards not asked for`,
      method: "getBlock",
      params: JSON.stringify([slot, each]),
      result,
    }));
  });
}

type Pair = {
  readonly request: { readonly method: string; readonly params: unknown };
  readonly response: { readonly result?: unknown; readonly error?: unknown };
};

/** The pairs of request-response-pairs-13.json. None of their integers is beyond 2^53. */
export function pairs(): Recording[] {
  const text = readFileSync(`${SLOT}/request-response-pairs-13.json`, "utf8");
  return (JSON.parse(text) as Pair[]).map(({ request, response }, index) => ({
    name: `pair ${index + 1}`,
    method: request.method,
    params: JSON.stringify(request.params),
    ...(response.error === undefined
      ? { result: JSON.stringify(response.result) }
      : { error: JSON.stringify(response.error) }),
  }));
}

/** The bodies that web3.js and kit sent to a node. */
export function clientBodies(): string[] {
  const text = readFileSync(`${SOLANA}/clients.json`, "utf8");
  const rows = JSON.parse(text) as { readonly sent: readonly string[] }[];
  return rows.flatMap(({ sent }) => sent).map((line) => /^.*\}(?= \{)/.exec(line)?.[0] ?? line);
}

export type SvmEntry = {
  readonly wire: string;
  readonly sig: string;
  readonly version: "legacy" | 0;
  readonly err: unknown;
  readonly pre: readonly number[];
  readonly post: readonly number[];
  readonly fee: number;
  readonly logs: readonly string[];
  readonly cu: number;
  readonly msg: {
    readonly h: Readonly<Record<string, number>>;
    readonly keys: readonly string[];
    readonly ix: readonly { readonly data: string; readonly programIdIndex: number }[];
    readonly bh: string;
  };
};

/** Transactions that ran on a real SVM: wire bytes, and what is in them. */
export function svmEntries(): SvmEntry[] {
  return JSON.parse(readFileSync(`${SOLANA}/litesvm_entries.json`, "utf8"));
}

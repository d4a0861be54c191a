import { scanObject } from "../lib/json-scan.ts";
import { skipSpace } from "../lib/json-value.ts";

/** A block as a node announces it. Hashes in lower case; `timestamp` in seconds. */
export type NewHead = {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Hex text. */
  readonly gasLimit: string;
  readonly timestamp: number;
};

/** The kinds of messages of a node. */
export type Frame =
  /** Says that it answers this id; not looked at any further. */
  | { readonly kind: "answer"; readonly id: number }
  /** An error without an id: of a request that the node could not read. */
  | { readonly kind: "anonymous_error" }
  | { readonly kind: "event"; readonly subscription: string; readonly result: unknown }
  /** A notification of another kind: nobody asked for it, and it does no harm. */
  | { readonly kind: "other" }
  | { readonly kind: "garbage" };

/** The forms in which nearly all nodes answer. */
const PLAIN_ANSWER = /^\{(?:"jsonrpc":"2\.0",)?"id":(\d{1,16}),/;
/** Longer than the beginning that the pattern looks at. */
const BEGINNING_BYTES = 48;

/** Reads as much of a message as tells whose it is. */
export function readFrame(bytes: Buffer): Frame {
  const plain = PLAIN_ANSWER.exec(bytes.toString("latin1", 0, BEGINNING_BYTES))?.[1];
  if (plain !== undefined) return { kind: "answer", id: Number(plain) };
  const scanned = scanObject(bytes);
  if (scanned === undefined || skipSpace(bytes, scanned.end) !== bytes.length) {
    return { kind: "garbage" };
  }
  const texts = new Map<string, string>();
  for (const { key, valueStart, valueEnd } of scanned.members) {
    if (key !== "result") texts.set(key, bytes.toString("utf8", valueStart, valueEnd));
  }
  const id = texts.get("id") ?? "null";
  if (/^\d{1,16}$/.test(id)) return { kind: "answer", id: Number(id) };
  if (id !== "null") return { kind: "garbage" };
  const method = texts.get("method");
  if (method === '"eth_subscription"') return readNotification(texts.get("params") ?? "");
  if (method !== undefined) return { kind: "other" };
  return { kind: texts.has("error") ? "anonymous_error" : "garbage" };
}

function readNotification(json: string): Frame {
  let params: unknown;
  try {
    params = JSON.parse(json);
  } catch {
    return { kind: "garbage" };
  }
  if (typeof params !== "object" || params === null) return { kind: "garbage" };
  const subscription = "subscription" in params ? params.subscription : undefined;
  if (typeof subscription !== "string") return { kind: "garbage" };
  return {
    kind: "event",
    subscription,
    result: "result" in params ? params.result : undefined,
  };
}

/** A parsed block or header as nodes write it; undefined where it lacks what a head needs. */
export function readHead(block: unknown): NewHead | undefined {
  if (typeof block !== "object" || block === null) return undefined;
  const { number, hash, parentHash, gasLimit, timestamp }: Record<string, unknown> = { ...block };
  if (!isHash(hash) || !isHash(parentHash)) return undefined;
  if (!isSafeQuantity(number) || !isSafeQuantity(timestamp)) return undefined;
  if (typeof gasLimit !== "string" || !/^0x[0-9a-f]{1,64}$/i.test(gasLimit)) return undefined;
  return {
    number: Number(number),
    hash: hash.toLowerCase(),
    parentHash: parentHash.toLowerCase(),
    gasLimit,
    timestamp: Number(timestamp),
  };
}

export const isHash = (value: unknown): value is string =>
  typeof value === "string" && /^0x[0-9a-f]{64}$/i.test(value);

/** Up to 2^52, which a number holds exactly. */
const isSafeQuantity = (value: unknown): value is string =>
  typeof value === "string" && /^0x0*[0-9a-f]{1,13}$/i.test(value);

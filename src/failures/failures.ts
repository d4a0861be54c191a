import type { ClientAnswer, FailureClass } from "./failure-classes.ts";
import { FAILURE_ROWS, type FailureRow } from "./failure-rows.ts";
import {
  decodeRevertReason,
  isExactRevertPayload,
  readRevertText,
  unwrap,
  withoutMachine,
} from "./revert-reason.ts";

/** A JSON-RPC error object as a node sent it, after JSON.parse. */
export type PlainError = {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly data?: unknown;
  /** Infura's own number beside the code. */
  readonly event?: unknown;
  /** Members of an object-valued `data` (ganache, hardhat, MetaMask). */
  readonly reason?: unknown;
  readonly originalError?: unknown;
  readonly cause?: unknown;
  readonly [key: string]: unknown;
};

/**
 * An answer that is no plain result. `status` is HTTP's (200 over WebSocket), `body` the text of
 * an answer that was no JSON-RPC, `result` a revert's payload that came as a result.
 */
export type UpstreamFailure = {
  readonly status: number;
  readonly error?: PlainError;
  readonly body?: string;
  readonly result?: string;
};

export type Failure = {
  readonly class: FailureClass;
  /** A revert's: decoded from the payload, else the node's own; null where there is none. */
  readonly reason: string | null;
  /** A revert's, hex, untouched; "0x" where the node gave none. */
  readonly payload: string;
  /** The node's code, where it is an integer. */
  readonly code: number | undefined;
  /** The node's own text, whole; of no JSON-RPC answer the beginning of its body. */
  readonly message: string;
  /** The error's `data`, where that is hex. */
  readonly data: string | undefined;
  /** The client's answer, where that is not the one of the class. */
  readonly answer: ClientAnswer | undefined;
};

/** Outer texts that say nothing where `data` holds the error of the node itself (MetaMask). */
const HOLLOW_TEXT = /^internal (?:json-rpc |server )?error\.?$/i;
/** No row needs more of a text; the rest would only cost time. */
const COMPARED_CHARS = 2_500;
const LOGGED_BODY_CHARS = 1_000;
const MAX_NESTING = 4;

/**
 * The meaning of a failure: structure first (a payload, then the beginning of a revert's text), words
 * last, because a contract chooses the words of its revert (fixtures/nodes/REVERT-CORPUS.md).
 */
export function classify(answer: UpstreamFailure): Failure {
  if (answer.result !== undefined) return revert({}, hexIn(answer.result) ?? "0x");
  if (answer.error !== undefined) return classifyError(answer.error, answer.status, 0);
  const row = FAILURE_ROWS.find((each) => matches(each, { status: answer.status }));
  const message = (answer.body ?? "").trim().slice(0, LOGGED_BODY_CHARS);
  return failure({ message }, row ?? { class: "internal" });
}

function classifyError(error: PlainError, status: number, depth: number): Failure {
  const payload = payloadIn(error.data, 0);
  if (payload !== undefined && payload !== "0x") return revert(error, payload);
  const message = textOf(error.message);
  const text = unwrap(message);
  const told = readRevertText(text, error.data);
  // An empty payload is the contract's: what the node says beside it is no reason.
  if (told && payload === "0x") return revert(error, payload);
  if (told) return revert(error, told.payload, told.reason ?? reasonRepeated(error.data));
  const inner = HOLLOW_TEXT.test(text) && depth < MAX_NESTING ? innerError(error) : undefined;
  if (inner) {
    const found = classifyError(inner, status, depth + 1);
    if (found.class !== "unknown") return found;
  }
  const code = codeOf(error);
  const texts = [withoutMachine(text), message].map((each) => each.slice(0, COMPARED_CHARS));
  const facts = { status, code, event: error.event, texts, details: textsIn(error.data) };
  const row = FAILURE_ROWS.find((each) => matches(each, facts));
  const understood = code !== undefined || text !== "";
  return failure(error, row ?? { class: understood ? "unknown" : "internal" });
}

type Facts = {
  readonly status: number;
  readonly code?: number | undefined;
  readonly event?: unknown;
  readonly texts?: readonly string[];
  readonly details?: readonly string[];
};

function matches(row: FailureRow, facts: Facts): boolean {
  const { code, status, texts = [], details = [] } = facts;
  const { text, detail, status: statuses } = row;
  if (row.code && (code === undefined || !row.code.includes(code))) return false;
  if (statuses && !statuses.includes(status) && !(code && statuses.includes(code))) return false;
  if (row.event !== undefined && row.event !== facts.event) return false;
  if (text && !texts.some((each) => text.test(each))) return false;
  return !detail || details.some((each) => detail.test(each));
}

function failure(error: PlainError, row: Pick<FailureRow, "class" | "answer">): Failure {
  const { data } = error;
  return {
    class: row.class,
    reason: null,
    payload: "0x",
    code: codeOf(error),
    message: textOf(error.message),
    data: typeof data === "string" && /^0x[0-9a-f]*$/i.test(data) ? data : undefined,
    answer: row.answer,
  };
}

function revert(error: PlainError, payload: string, reason?: string | null): Failure {
  const found = reason === undefined ? decodeRevertReason(payload) : reason;
  return { ...failure(error, { class: "revert" }), reason: found, payload, data: payload };
}

const codeOf = (error: PlainError): number | undefined =>
  Number.isSafeInteger(error.code) ? (error.code as number) : undefined;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const objectOf = (value: unknown): PlainError | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as PlainError)
    : undefined;

/** Whole bytes of hex, as nodes write a payload: OpenEthereum puts `Reverted ` before it. */
const hexIn = (text: string): string | undefined => {
  const [, digits] = /^(?:reverted )?0x((?:[0-9a-f]{2})*)$/i.exec(text) ?? [];
  return digits === undefined ? undefined : `0x${digits}`;
};

const PAYLOAD_KEYS = ["data", "result", "return", "message"];
/** Members that repeat the request, whose call data is no payload (hardhat 2 has `params`). */
const ECHO_KEYS = new Set(["params", "request", "transaction", "tx"]);

/** The payload in an error's `data`, `0x` where only that stands there; undefined where none. */
function payloadIn(data: unknown, depth: number): string | undefined {
  if (typeof data === "string") return hexIn(data);
  const members = objectOf(data);
  if (members === undefined || depth > MAX_NESTING) return undefined;
  let found: string | undefined;
  for (const key of PAYLOAD_KEYS) {
    const hex = hexIn(textOf(members[key]));
    if (hex !== undefined && hex !== "0x") return hex;
    found ??= hex;
  }
  for (const [key, member] of Object.entries(members)) {
    if (ECHO_KEYS.has(key)) continue;
    if (typeof member === "string" && isExactRevertPayload(member)) return member;
    const hex = objectOf(member) && payloadIn(member, depth + 1);
    if (hex !== undefined && hex !== "0x") return hex;
    found ??= hex;
  }
  return found;
}

/** hardhat and ganache repeat the reason in `data.reason`. */
function reasonRepeated(data: unknown): string | null {
  const reason = objectOf(data)?.reason;
  return typeof reason === "string" ? reason : null;
}

/** The node's error that a wallet or a proxy put into the `data` of its own. */
function innerError(error: PlainError): PlainError | undefined {
  const inner = objectOf(error.data);
  for (const each of [inner, objectOf(inner?.originalError), objectOf(inner?.cause)]) {
    if (typeof each?.message === "string" && each.message !== error.message) return each;
  }
  return undefined;
}

function textsIn(data: unknown): string[] {
  if (typeof data === "string") return [data];
  return Object.values(objectOf(data) ?? {}).filter((each) => typeof each === "string");
}

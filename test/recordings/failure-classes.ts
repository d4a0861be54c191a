import { readFileSync } from "node:fs";
import type { ErrorObject, Recorded } from "./rig.ts";

/**
 * docs/decisions.md, "Answers of nodes": what a client gets of each class of failure of
 * test/fixtures/nodes/. Written down from there once more, not from the code.
 */
const CORPUS = "test/fixtures/nodes/revert-corpus.jsonl";

export type CorpusLine = {
  readonly source: string;
  readonly http_status: number;
  readonly error: ErrorObject | null;
  readonly body?: string;
  readonly result?: string;
  readonly expect: {
    readonly class: string;
    readonly reason: string | null;
    readonly retry_other: boolean;
    readonly counts_against_health: boolean;
  };
};

/** How a call ends: with this result or error, this HTTP status, charged or free. */
export type Ending = {
  readonly status: 200 | 503;
  readonly charged: boolean;
  readonly answer: { readonly result: unknown } | { readonly error: ErrorObject };
};

type Asked = { readonly method: string; readonly lookUp: boolean };
type Failure = {
  readonly class: string;
  readonly reason: string | null;
  readonly error: ErrorObject;
};

export const NULL: Ending = { status: 200, charged: true, answer: { result: null } };
export const UNAVAILABLE: Ending = {
  status: 503,
  charged: false,
  answer: { error: { code: -32603, message: "no upstream could answer" } },
};

const charged = (error: ErrorObject): Ending => ({ status: 200, charged: true, answer: { error } });

export function endingOf(failure: Failure, { method, lookUp }: Asked): Ending {
  const { reason, error } = failure;
  switch (failure.class) {
    case "revert": {
      const message = `execution reverted${reason === null ? "" : `: ${reason}`}`;
      return charged({ code: 3, message, data: payloadOf(error.data) ?? "0x" });
    }
    case "halt":
    case "call_rejected":
    case "execution_timeout":
    case "too_large":
      return charged({ code: -32000, message: shown(error.message) });
    case "invalid_params":
      return charged({ code: -32602, message: shown(error.message) });
    case "not_found":
      return NULL;
    case "block_unknown":
      return lookUp ? NULL : charged({ code: -32000, message: "header not found" });
    case "missing_state":
    case "indexing":
    case "unknown":
      return passedOn(error);
    case "method_unknown": {
      const message = `the method ${method} does not exist/is not available`;
      return { status: 200, charged: false, answer: { error: { code: -32601, message } } };
    }
    default:
      return UNAVAILABLE;
  }
}

/** A node's own error: its code, its text, and `data` where that is hex. */
export const passedOn = ({ code, message, data }: ErrorObject): Ending =>
  charged({ code, message: shown(message), ...hexData(data) });

/** A node's text is replaced where it holds a URL, an IP address or host:port, or a page. */
function shown(message: unknown): string {
  const text = String(message);
  const held = /\w:\/\/|\b\d+\.\d+\.\d+\.\d+\b|\b[\w.-]*[a-z][\w.-]*:\d{2,5}\b|<html/i.test(text);
  return held ? "upstream error" : text;
}

const hexData = (data: unknown): { data?: string } =>
  typeof data === "string" && /^0x[0-9a-f]*$/i.test(data) ? { data } : {};

/** The longest hex text in `data`: a revert's payload, wherever the vendor puts it. */
function payloadOf(data: unknown): string | undefined {
  if (typeof data === "string") return /^(?:reverted )?(0x[0-9a-f]*)$/i.exec(data)?.[1];
  if (typeof data !== "object" || data === null) return undefined;
  const members = Object.entries(data).filter(([name]) => !/hash|params|counter/i.test(name));
  const found = members.map(([, member]) => payloadOf(member)).filter((hex) => hex !== undefined);
  return found.toSorted((a, b) => b.length - a.length)[0];
}

export function readCorpus(): CorpusLine[] {
  const lines = readFileSync(CORPUS, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as CorpusLine);
}

/** Errors that the corpus has not, or not under this number or place. */
const BESIDE_THE_CORPUS: readonly (readonly [RegExp, string])[] = [
  [/^stack underflow|^gas required exceeds allowance/, "halt"],
  [/^transaction gas limit \(\d+\) is greater than the cap/, "call_rejected"],
  [/^Method \w+ is not supported$|^[Tt]he method \w+ does not exist/, "method_unknown"],
  [/^Cannot wrap /, "invalid_params"],
  [/^block range extends beyond current head block/, "block_unknown"],
];

/** The class of a recorded answer: the corpus holds most of them, with what they mean. */
export class RecordedClasses {
  readonly #byAnswer = new Map<string, Failure>();

  constructor(lines: readonly CorpusLine[]) {
    for (const { error, http_status: status, body, expect } of lines) {
      const known = { class: expect.class, reason: expect.reason, error: error ?? {} };
      if (body !== undefined) this.#byAnswer.set(`${status} ${body}`, known);
      if (error === null) continue;
      this.#byAnswer.set(keyOf(error, true), known);
      if (error.data === undefined || expect.class !== "revert") {
        this.#byAnswer.set(keyOf(error, false), known);
      }
    }
  }

  /** Of an error object, or of an answer that is no JSON-RPC. */
  classOf(answer: ErrorObject | Recorded): Failure | undefined {
    if ("body" in answer) return this.#byAnswer.get(`${answer.status} ${answer.body}`);
    const known =
      this.#byAnswer.get(keyOf(answer, true)) ?? this.#byAnswer.get(keyOf(answer, false));
    if (known !== undefined) return { ...known, error: answer };
    const text = String(answer.message);
    const [, name] = BESIDE_THE_CORPUS.find(([texts]) => texts.test(text)) ?? [];
    const found = name ?? (answer.code === -32602 ? "invalid_params" : undefined);
    return found === undefined ? undefined : { class: found, reason: null, error: answer };
  }
}

/** With its data or without; ganache's stack traces are cut in the corpus. */
function keyOf({ code, message, data }: ErrorObject, whole: boolean): string {
  const texts = JSON.stringify(whole ? [code, message, data] : [code, message], (name, value) =>
    name === "stack" ? undefined : value,
  );
  return texts.replace(/ at line \d+ column \d+/g, "");
}

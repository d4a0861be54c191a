import { ERRORS } from "../../../../src/jsonrpc/errors.ts";

/** The error of an answer, as the gateway writes it. */
export type CallError = {
  readonly code: number;
  readonly message: string;
  readonly event?: number;
  readonly details?: string;
  readonly data?: unknown;
};

/** What an error means, by the error table's row. */
export type Explanation = {
  readonly name: string;
  readonly meaning: string;
  readonly advice: string;
};

type Row = {
  readonly code: number;
  readonly event?: number;
  readonly status: number;
  readonly charged: boolean;
  readonly retryable: boolean;
  readonly message: string;
  readonly meaning: string;
};

const ROWS: readonly (readonly [string, Row])[] = Object.entries(ERRORS);

/** What cannot be read from the row alone. */
const ADVICE: Readonly<Record<string, string>> = {
  parse_error: "Fix the JSON in the raw view.",
  invalid_params: "Check the parameter named in the message; its hint says what is valid.",
  node_invalid_params: "Check the parameter named in the message; the node expects something else.",
  method_not_found:
    "Choose a method from the list. The gateway serves only these, and all are read-only.",
  unauthorized: "The explorer's key was revoked or has expired. See the API keys page.",
  forbidden: "The details say what the account or key is not allowed to do. See the API keys page.",
  payment_required: "Wait for the reset at 00:00 UTC, or ask an operator to add credits.",
  key_balance_exhausted: "Wait for the reset at 00:00 UTC, or raise the key's limit.",
  revert: "The contract reverted for these arguments. Try another block, sender or data.",
  execution_failed: "Change the gas, the balance or the data as the message says.",
  header_not_found: "Use a block that exists: latest, or a lower number.",
  archive_unavailable: "Use a recent block, or a network with archive nodes.",
  answer_too_large: "Ask for less: fewer blocks, one address, a shorter list.",
};

/** @param status of HTTP */
export function explain(status: number, error: CallError | undefined): Explanation | undefined {
  const found = rowOf(status, error);
  if (found === undefined) return undefined;
  const [name, { meaning, retryable }] = found;
  const wait = "Nothing is wrong with the call: try again in a moment.";
  const advice = ADVICE[name] ?? (retryable ? wait : "The message says what to change.");
  return { name, meaning, advice };
}

function rowOf(status: number, error: CallError | undefined) {
  if (error === undefined) {
    return status === 200 ? undefined : ROWS.find(([, row]) => row.status === status);
  }
  const { code, event, message } = error;
  if (event !== undefined) return ROWS.find(([, row]) => row.event === event);
  const same = ROWS.filter(([, row]) => row.code === code && row.event === undefined);
  return (
    same.find(([, row]) => message.startsWith(row.message)) ??
    same.find(([, row]) => row.status === status) ??
    ROWS.find(([name]) => name === "upstream_error")
  );
}

/** The error of a call's answer; undefined where it has a result or is no JSON-RPC answer. */
export function errorOf(answer: unknown): CallError | undefined {
  if (typeof answer !== "object" || answer === null || !("error" in answer)) return undefined;
  const { error } = answer;
  if (typeof error !== "object" || error === null) return undefined;
  const { code, message } = error as Partial<CallError>;
  if (typeof code !== "number" || typeof message !== "string") return undefined;
  return error as CallError;
}

type Served = { readonly status: number; readonly servedBy: string | null };

/** Who answered, and what there is to say of it. */
export function servedBy({ status, servedBy: partner }: Served): {
  readonly value: string;
  readonly note: string;
} {
  if (status === 503) return { value: "nobody", note: "no node could answer in time" };
  if (status >= 400) return { value: "nobody", note: "the gateway answered this itself" };
  if (partner !== null) return { value: partner, note: "your own nodes could not" };
  return { value: "own nodes", note: "or the cache" };
}

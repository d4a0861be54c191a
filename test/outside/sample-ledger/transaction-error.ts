import { createRequire } from "node:module";
import type { FailedTransactionMetadata } from "litesvm";
import type { Json } from "./ordered-json.ts";

type Codes = Readonly<Record<string, number>>;

/** The names of errors without fields, which the library gives as their numbers. */
const { InstructionErrorFieldless, TransactionErrorFieldless } = createRequire(import.meta.url)(
  "litesvm/dist/internal.js",
) as { readonly InstructionErrorFieldless: Codes; readonly TransactionErrorFieldless: Codes };

/** As a node writes it: `{"InstructionError":[0,{"Custom":1}]}`. */
export function transactionError(failed: FailedTransactionMetadata): Json {
  const error = failed.err();
  if (typeof error === "number") return nameOf(TransactionErrorFieldless, error);
  if ("err" in error) {
    const cause = error.err();
    if (typeof cause === "number") {
      return { InstructionError: [error.index, nameOf(InstructionErrorFieldless, cause)] };
    }
    if ("code" in cause) return { InstructionError: [error.index, { Custom: cause.code }] };
  }
  if ("accountIndex" in error && String(error).includes("InsufficientFundsForRent")) {
    return { InsufficientFundsForRent: { account_index: error.accountIndex } };
  }
  throw new Error(`no known form for ${String(error)}`);
}

function nameOf(codes: Codes, wanted: number): string {
  const found = Object.entries(codes).find(([, code]) => code === wanted);
  if (found === undefined) throw new Error(`an error without a name: ${wanted}`);
  return found[0];
}

import type { CreditRefusal } from "../credits/ledger.ts";
import type { ErrorName, RpcError } from "../jsonrpc/errors.ts";
import type { AllowKind } from "../storage/store.ts";

const CREDIT_ERRORS: Readonly<
  Record<CreditRefusal["kind"], { readonly name: ErrorName; readonly details: string }>
> = {
  balance: {
    name: "payment_required",
    details: "the account's credits of the day are used up; they return at 00:00 UTC",
  },
  throughput: {
    name: "throughput_exceeded",
    details: "the account's credits per second are used up; send fewer calls per second",
  },
  "key-balance": {
    name: "key_balance_exhausted",
    details: "the key's own credits of the day are used up; they return at 00:00 UTC",
  },
  "key-throughput": {
    name: "key_throughput_exceeded",
    details: "the key's own credits per second are used up; send fewer calls per second",
  },
  unavailable: { name: "credits_unavailable", details: "the call was not charged; try again" },
};

/** The error for a client whose credits do not suffice. */
export function creditError({ kind, retryAfterSeconds, details }: CreditRefusal): RpcError {
  const error = CREDIT_ERRORS[kind];
  return {
    ...error,
    ...(details === undefined ? {} : { details }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}

const ALLOW_DETAILS: Readonly<Record<AllowKind, string>> = {
  network: "the key is not allowed on this network",
  method: "the key is not allowed to call this method",
  contract: "the key is not allowed to call this contract",
  origin: "the key is not allowed from this origin",
  ip: "the key is not allowed from this IP address",
  agent: "the key is not allowed with this user agent",
};

/** The error for a client whom the key's allow-list of this kind leaves out. */
export function notAllowed(kind: AllowKind): RpcError {
  return { name: "forbidden", details: ALLOW_DETAILS[kind] };
}

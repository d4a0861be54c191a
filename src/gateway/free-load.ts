import type { Identity } from "../access/authenticator.ts";
import type { Ledger } from "../credits/ledger.ts";
import type { ErrorName, RpcError } from "../jsonrpc/errors.ts";
import { creditError } from "./refusals.ts";

/** A message of an ordinary call. */
const FREE_MESSAGE_BYTES = 4096;
const BYTES_PER_CREDIT = 1024;
/** A quarter of what eth_getBlockByNumber costs. */
const REFUSED_CREDITS = 20;

type Throughput = Pick<Ledger, "draw">;

/** Refused because there was too much already, or through the gateway's own fault. */
const UNCOUNTED: ReadonlySet<ErrorName> = new Set([
  "throughput_exceeded",
  "key_throughput_exceeded",
  "credits_unavailable",
  "internal",
]);

/**
 * A load that costs no credits draws on the credits per second: the size of a message,
 * before it is parsed. Returns why it is not parsed, undefined where it is.
 */
export function drawForMessage(
  ledger: Throughput,
  identity: Identity,
  sizeBytes: number,
): RpcError | undefined {
  if (sizeBytes <= FREE_MESSAGE_BYTES) return undefined;
  const credits = Math.ceil((sizeBytes - FREE_MESSAGE_BYTES) / BYTES_PER_CREDIT);
  const refusal = ledger.draw(identity, credits);
  return refusal && creditError(refusal);
}

/** The same for a call or message that is refused: what it is told where there were too many. */
export function drawForRefusal(
  ledger: Throughput,
  identity: Identity,
  { name }: RpcError,
): RpcError | undefined {
  return UNCOUNTED.has(name) ? undefined : drawForFreeCall(ledger, identity);
}

/** The same for a call that is answered for nothing. */
export function drawForFreeCall(ledger: Throughput, identity: Identity): RpcError | undefined {
  const refusal = ledger.draw(identity, REFUSED_CREDITS);
  return refusal && creditError(refusal);
}

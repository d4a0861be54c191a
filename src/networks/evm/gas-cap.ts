import type { JsonObject, JsonValue } from "../../jsonrpc/value.ts";

/** Specification, "Limits": 10 times (1000 %) the current block gas limit. */
const TIMES_BLOCK_LIMIT = 10n;

/**
 * The call with its `gas` lowered to the cap, silently, as go-ethereum does with its own
 * (RPCGasCap); the call itself where it is below, or names none.
 */
export function capGas(call: JsonValue | undefined, blockGasLimit: bigint | undefined): JsonValue {
  if (!(call instanceof Map) || blockGasLimit === undefined) return call ?? null;
  const gas = call.get("gas");
  if (typeof gas !== "string") return call;
  const cap = blockGasLimit * TIMES_BLOCK_LIMIT;
  if (BigInt(gas) <= cap) return call;
  const capped: JsonObject = new Map(call);
  capped.set("gas", `0x${cap.toString(16)}`);
  return capped;
}

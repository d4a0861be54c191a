import { invalidParams, RpcFault } from "./block-files-fault.ts";
import type { Encoding, TransactionForm } from "./encode-block.ts";
import { isObject, type Json } from "./stored-block.ts";

/** Two are enough: nothing here has been served for `processed` alone. */
export type Commitment = "confirmed" | "finalized";
/** Any of 2^64, so that an error names it as it was asked for. */
export type Slot = number | bigint;

const MAX_SLOT = 2n ** 64n - 1n;
const ENCODINGS: ReadonlySet<unknown> = new Set<Encoding>([
  "base58",
  "base64",
  "binary",
  "json",
  "jsonParsed",
]);
const NO_CONFIG =
  "Invalid params: data did not match any variant of untagged enum RpcEncodingConfigWrapper.";

const parseWithSource = JSON.parse as (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source: string }) => unknown,
) => unknown;

/**
 * The positional params; integers beyond 2^53 are bigints.
 * @throws RpcFault -32602 in the words of agave 3.0 (jsonrpc-core)
 */
export function parseParams(text: string, { min, max }: { min: number; max: number }): unknown[] {
  let params: unknown;
  try {
    params = parseWithSource(text, (_key, value, { source }) =>
      /^\d{16,}$/.test(source) && typeof value === "number" ? BigInt(source) : value,
    );
  } catch (error) {
    throw invalidParams("`params` should be an array", error);
  }
  if (!Array.isArray(params)) throw invalidParams("`params` should be an array");
  if (params.length < min)
    throw invalidParams(`\`params\` should have at least ${min} argument(s)`);
  if (params.length <= max) return params;
  const message = `Invalid parameters: Expected from ${min} to ${max} parameters.`;
  throw new RpcFault(message, { code: -32602, data: `"Got: ${params.length}"` });
}

/** A u64, such as a slot. @throws RpcFault -32602 in the words of agave 3.0 */
export function readU64(value: unknown): Slot {
  if (typeof value === "bigint" && value <= MAX_SLOT) return value;
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
  throw invalidParams(`Invalid params: ${wrongType(value)}, expected u64.`);
}

function wrongType(value: unknown): string {
  if (Number.isSafeInteger(value)) return `invalid value: integer \`${value}\``;
  if (typeof value === "number") return `invalid type: floating point \`${value}\``;
  if (typeof value === "bigint") {
    return `invalid type: floating point \`${Number(value).toExponential().replace("+", "")}\``;
  }
  if (typeof value === "string") return `invalid type: string ${JSON.stringify(value)}`;
  if (typeof value === "boolean") return `invalid type: boolean \`${value}\``;
  if (Array.isArray(value)) return "invalid type: sequence";
  return `invalid type: ${isObject(value) ? "map" : "null"}`;
}

/** A method's config: an object, or nothing. @throws RpcFault -32602 */
export function readConfig(value: unknown): Json {
  if (value === undefined || value === null) return {};
  if (isObject(value)) return value;
  throw invalidParams(`Invalid params: ${wrongType(value)}, expected a config object.`);
}

/** As agave reads it: an unknown word counts as none. */
export function readCommitment({ commitment }: Json): Commitment | "processed" {
  return commitment === "confirmed" || commitment === "processed" ? commitment : "finalized";
}

/** The commitment of a method that reads blocks. @throws RpcFault -32602 for `processed` */
export function readConfirmed(config: Json): Commitment {
  const commitment = readCommitment(config);
  if (commitment !== "processed") return commitment;
  throw invalidParams("Method does not support commitment below `confirmed`");
}

/** The config of getBlock and getTransaction, which may be the encoding alone. @throws RpcFault -32602 */
export function readEncodingConfig(value: unknown): Json {
  if (typeof value === "string") return { encoding: value };
  if (value === undefined || value === null || isObject(value)) return value ?? {};
  throw invalidParams(NO_CONFIG);
}

/** @throws RpcFault -32602 */
export function readForm(config: Json): TransactionForm {
  return {
    encoding: readChoice(config["encoding"], ENCODINGS) ?? "json",
    rewards: readChoice(config["rewards"], new Set([true, false])) ?? true,
    maxVersion: readVersion(config["maxSupportedTransactionVersion"]),
  };
}

/** One of a few values; undefined where there is none. @throws RpcFault -32602 */
export function readChoice<Choice>(
  value: unknown,
  choices: ReadonlySet<unknown>,
): Choice | undefined {
  if (value === undefined || value === null) return undefined;
  if (choices.has(value)) return value as Choice;
  throw invalidParams(NO_CONFIG);
}

function readVersion(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255) return Number(value);
  throw invalidParams(NO_CONFIG);
}

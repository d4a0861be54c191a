/** The configs of the methods that look transactions up or run them. */
import type { JsonObject, JsonValue } from "../../../jsonrpc/value.ts";
import type { Param } from "../../definition.ts";
import { ACCOUNT_ENCODINGS } from "./account-config.ts";
import { commitment, context, leastConfirmed } from "./commitment.ts";
import { config, encodingConfig } from "./config.ts";
import { pubkey, signature } from "./keys.ts";
import { signatureLimit } from "./limits.ts";
import { boolean, list, oneOf, type Reader, struct, unsigned } from "./serde.ts";
import { SerdeFault } from "./serde-fault.ts";

/** The specification's four; agave's `binary`, base58 without its name beside it, is not among them. */
export const TRANSACTION_ENCODINGS = ["json", "jsonParsed", "base58", "base64"];

export const transactionConfig: Param = encodingConfig({
  name: "RpcTransactionConfig",
  fields: {
    commitment: leastConfirmed,
    encoding: oneOf(TRANSACTION_ENCODINGS),
    maxSupportedTransactionVersion: unsigned("u8"),
  },
});

export const signatureStatusConfig: Param = config({
  name: "RpcSignatureStatusConfig",
  fields: { searchTransactionHistory: boolean },
});

export const signaturesForAddressConfig: Param = config({
  name: "RpcSignaturesForAddressConfig",
  fields: {
    ...context,
    before: signature,
    commitment: leastConfirmed,
    limit: signatureLimit,
    until: signature,
  },
});

/** An encoding among those known, some of which the node refuses here in words of its own. */
function encodingBut(
  known: readonly string[],
  refused: readonly string[],
  words: (encoding: JsonValue) => string,
): Reader {
  const read = oneOf(known);
  return (value) => {
    const encoding = read(value);
    if (refused.some((each) => each === encoding)) {
      throw new SerdeFault(words(encoding), { whole: true });
    }
    return encoding;
  };
}

const simulated = struct({
  name: "RpcSimulateTransactionAccountsConfig",
  fields: {
    addresses: list(pubkey),
    encoding: encodingBut(
      ACCOUNT_ENCODINGS,
      ["binary", "base58"],
      () => "base58 encoding not supported",
    ),
  },
  required: ["addresses"],
});

const simulation = config({
  name: "RpcSimulateTransactionConfig",
  fields: {
    accounts: simulated,
    commitment,
    encoding: encodingBut(
      TRANSACTION_ENCODINGS,
      ["json", "jsonParsed"],
      (encoding) => `unsupported encoding: ${encoding}. Supported encodings: base58, base64`,
    ),
    innerInstructions: boolean,
    minContextSlot: context.minContextSlot,
    replaceRecentBlockhash: boolean,
    sigVerify: boolean,
  },
});

export const simulationConfig: Param = Object.freeze({
  ...simulation,
  check: (value, choices) => {
    const read = simulation.check(value, choices);
    if (read instanceof Map) checkFlags(read);
    return read;
  },
} satisfies Param);

function checkFlags(read: JsonObject): void {
  if (read.get("sigVerify") !== true || read.get("replaceRecentBlockhash") !== true) return;
  const words = "sigVerify may not be used with replaceRecentBlockhash";
  throw new SerdeFault(words, { whole: true });
}

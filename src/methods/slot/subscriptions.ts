/**
 * The subscriptions of WebSockets, as agave 3.0 takes them (rpc/src/rpc_pubsub.rs). What their
 * notifications cost stands in src/subscriptions.
 */
import { define } from "../define.ts";
import type { Definition, Param } from "../definition.ts";
import { accountConfig, programAccountsConfig } from "./params/account-config.ts";
import { leastConfirmed } from "./params/commitment.ts";
import { config } from "./params/config.ts";
import { pubkey, signature } from "./params/keys.ts";
import { ADDRESS_EXAMPLE, plain, SIGNATURE_EXAMPLE } from "./params/plain.ts";
import { boolean, list, oneOf, type Reader, string, tagged, unsigned } from "./params/serde.ts";
import { SerdeFault } from "./params/serde-fault.ts";
import { TRANSACTION_ENCODINGS } from "./params/transaction-config.ts";

const SUBSCRIBE_CREDITS = 160;
const UNSUBSCRIBE_CREDITS = 10;

/** A key in the words of a node's subscriptions, which are others than those of its calls. */
function provided(thing: string, read: (text: string) => string): Reader {
  return (value) => {
    const text = string(value);
    try {
      return read(text);
    } catch (cause) {
      if (!(cause instanceof SerdeFault)) throw cause;
      const words = `Invalid Request: Invalid ${thing} provided`;
      throw new SerdeFault(words, { whole: true, hint: cause.hint, cause });
    }
  };
}

const oneAddress: Reader = (value) => {
  const addresses = list(string)(value);
  if (addresses.length !== 1) {
    throw new SerdeFault("Invalid Request: Only 1 address supported", { whole: true });
  }
  return addresses.map(provided("mentions", pubkey));
};

const address = plain("address", "an address: 32 bytes in base58", {
  check: provided("pubkey", pubkey),
  example: ADDRESS_EXAMPLE,
});

const transaction = plain("signature", "a signature: 64 bytes in base58", {
  check: provided("signature", signature),
  example: SIGNATURE_EXAMPLE,
});

const logsFilter = plain(
  "filter",
  '"all", "allWithVotes" or an object with the key mentions, a list of one address',
  { check: tagged({ mentions: oneAddress }, ["all", "allWithVotes"]), example: "all" },
);

const blockFilter = plain(
  "filter",
  '"all" or an object with the key mentionsAccountOrProgram, an address',
  {
    check: tagged({ mentionsAccountOrProgram: provided("mentions_account_or_program", pubkey) }, [
      "all",
    ]),
    example: "all",
  },
);

const id = plain("subscription", "the number that subscribing gave", { check: unsigned("u64") });

const logsConfig = config({
  name: "RpcTransactionLogsConfig",
  fields: { commitment: leastConfirmed },
});

const signatureConfig = config({
  name: "RpcSignatureSubscribeConfig",
  fields: { commitment: leastConfirmed, enableReceivedNotification: boolean },
});

const blockConfig = config({
  name: "RpcBlockSubscribeConfig",
  fields: {
    commitment: leastConfirmed,
    encoding: oneOf(TRANSACTION_ENCODINGS),
    maxSupportedTransactionVersion: unsigned("u8"),
    showRewards: boolean,
    transactionDetails: oneOf(["full", "accounts", "signatures", "none"]),
  },
});

/** `told`: what its notifications hold. */
const pair = (kind: string, told: string, ...params: readonly Param[]): Definition[] => [
  define({
    ...{ method: `${kind}Subscribe`, credits: SUBSCRIBE_CREDITS, params, own: "subscribe" },
    result: `the number of the subscription; notifications on the same WebSocket tell ${told}`,
  }),
  define({
    ...{ method: `${kind}Unsubscribe`, credits: UNSUBSCRIBE_CREDITS, params: [id] },
    ...{ own: "unsubscribe", result: "true" },
  }),
];

export const SLOT_SUBSCRIPTION_METHODS: readonly Definition[] = Object.freeze([
  ...pair("slot", "each slot that a node begins to work on"),
  ...pair("root", "each slot that becomes final"),
  ...pair(
    "block",
    "each block that is confirmed, with what the config asks for",
    blockFilter,
    blockConfig,
  ),
  ...pair("logs", "the logs of each transaction that the filter fits", logsFilter, logsConfig),
  ...pair(
    "signature",
    "what became of the transaction, once: the subscription ends with it",
    transaction,
    signatureConfig,
  ),
  ...pair(
    "account",
    "the account each time that its lamports or data change",
    address,
    accountConfig,
  ),
  ...pair("program", "each account of the program that changes", address, programAccountsConfig),
]);

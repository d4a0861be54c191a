/** The parameters of getBlock and of the lists of blocks. */
import { type JsonObject, type JsonValue, NumberToken } from "../../../jsonrpc/value.ts";
import type { Param } from "../../definition.ts";
import { leastConfirmed } from "./commitment.ts";
import { encodingConfig, slotOrConfig } from "./config.ts";
import { boolean, oneOf, unsigned } from "./serde.ts";
import { SerdeFault } from "./serde-fault.ts";
import { TRANSACTION_ENCODINGS } from "./transaction-config.ts";

/** The most blocks that one call lists (MAX_GET_CONFIRMED_BLOCKS_RANGE). */
const MOST_BLOCKS = 500_000n;

/** The specification's; nodes show rewards by default. In the order in which they are sent. */
const DEFAULTS: readonly (readonly [string, JsonValue])[] = [
  ["commitment", "finalized"],
  ["encoding", "json"],
  ["maxSupportedTransactionVersion", null],
  ["rewards", false],
  ["transactionDetails", "full"],
];

/** Everything explicit, so that every node answers alike; a version only where one was given. */
function complete(given: JsonObject): JsonObject {
  const members = DEFAULTS.map(([key, value]) => [key, given.get(key) ?? value] as const);
  return new Map(members.filter(([, value]) => value !== null));
}

const DETAILS = ["full", "accounts", "signatures", "none"];
const COMMITMENTS = ["confirmed", "finalized"];

export const blockConfig: Param = Object.freeze({
  ...encodingConfig(
    {
      name: "RpcBlockConfig",
      fields: {
        commitment: leastConfirmed,
        encoding: oneOf(TRANSACTION_ENCODINGS),
        maxSupportedTransactionVersion: unsigned("u8"),
        rewards: boolean,
        transactionDetails: oneOf(DETAILS),
      },
    },
    complete,
  ),
  fallback: complete(new Map()),
  members: [
    { name: "transactionDetails", want: "how much of each transaction", choices: DETAILS },
    { name: "encoding", want: "how transactions are written", choices: TRANSACTION_ENCODINGS },
    {
      name: "maxSupportedTransactionVersion",
      want: "an integer such as 0: blocks with newer transactions are refused",
    },
    { name: "rewards", want: "true to see what validators got" },
    { name: "commitment", want: "how far it has to be agreed on", choices: COMMITMENTS },
  ],
} satisfies Param);

/** The last slot of a list of blocks; without one the list ends at the head. */
export const endSlot: Param = slotOrConfig("end slot", "RpcBlocksConfigWrapper");

/** @throws SerdeFault for a list of more blocks than nodes give at once */
export function checkRange([start, end]: readonly JsonValue[]): void {
  const [from, to] = [integer(start), integer(end)];
  if (from === undefined || to === undefined || to - from <= MOST_BLOCKS) return;
  throw new SerdeFault(`Slot range too large; max ${MOST_BLOCKS}`, { whole: true });
}

export const blockLimit: Param = Object.freeze({
  name: "limit",
  want: "a number of blocks, at most 500000",
  required: true,
  example: 5,
  check: (value) => {
    const limit = unsigned("usize")(value);
    if (BigInt(limit.text) <= MOST_BLOCKS) return limit;
    throw new SerdeFault(`Limit too large; max ${MOST_BLOCKS}`, { whole: true });
  },
} satisfies Param);

const integer = (value: JsonValue | undefined): bigint | undefined =>
  value instanceof NumberToken ? BigInt(value.text) : undefined;

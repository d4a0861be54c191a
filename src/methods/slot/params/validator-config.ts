/** The configs of the methods that tell of validators, stake and supply. */
import { type JsonValue, NumberToken } from "../../../jsonrpc/value.ts";
import type { Param } from "../../definition.ts";
import { ACCOUNT_ENCODINGS } from "./account-config.ts";
import { commitment, context } from "./commitment.ts";
import { config, slotOrConfig } from "./config.ts";
import { pubkey } from "./keys.ts";
import { boolean, oneOf, struct, unsigned } from "./serde.ts";
import { SerdeFault } from "./serde-fault.ts";

const slotNumber = unsigned("u64");
/** web3.js names one where nothing is encoded, and nodes take no notice. */
const encoding = oneOf(ACCOUNT_ENCODINGS);

export const voteAccountsConfig: Param = config({
  name: "RpcGetVoteAccountsConfig",
  fields: {
    commitment,
    delinquentSlotDistance: unsigned("u64"),
    keepUnstakedDelinquents: boolean,
    votePubkey: pubkey,
  },
});

/** A slot of the epoch whose leaders are wanted; without one it is the present epoch. */
export const scheduleSlot: Param = slotOrConfig("slot", "RpcLeaderScheduleConfigWrapper");

export const leaderScheduleConfig: Param = config({
  name: "RpcLeaderScheduleConfig",
  fields: { commitment, identity: pubkey },
});

const range = struct({
  name: "RpcBlockProductionConfigRange",
  fields: { firstSlot: slotNumber, lastSlot: slotNumber },
  required: ["firstSlot"],
});

const inOrder = (value: JsonValue): JsonValue => {
  const read = range(value);
  const [first, last] = [read.get("firstSlot"), read.get("lastSlot")];
  if (!(first instanceof NumberToken && last instanceof NumberToken)) return read;
  if (BigInt(last.text) >= BigInt(first.text)) return read;
  const words = `lastSlot, ${last.text}, cannot be less than firstSlot, ${first.text}`;
  throw new SerdeFault(words, { whole: true });
};

export const blockProductionConfig: Param = config({
  name: "RpcBlockProductionConfig",
  fields: { commitment, encoding, identity: pubkey, range: inOrder },
});

export const stakeConfig: Param = config({
  name: "RpcContextConfig",
  fields: { ...context, encoding },
});

export const inflationRewardConfig: Param = config({
  name: "RpcEpochConfig",
  fields: { ...context, epoch: unsigned("u64") },
});

export const supplyConfig: Param = config({
  name: "RpcSupplyConfig",
  fields: { commitment, excludeNonCirculatingAccountsList: boolean },
});

export const largestAccountsConfig: Param = config({
  name: "RpcLargestAccountsConfig",
  fields: {
    commitment,
    filter: oneOf(["circulating", "nonCirculating"]),
    sortResults: boolean,
  },
});

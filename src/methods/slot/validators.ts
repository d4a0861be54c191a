import type { Definition } from "../definition.ts";
import { commitmentParam, configInPlace, contextParam } from "./params/config.ts";
import { leaderLimit } from "./params/limits.ts";
import { anyAddresses, startSlot } from "./params/plain.ts";
import {
  blockProductionConfig,
  inflationRewardConfig,
  leaderScheduleConfig,
  scheduleSlot,
  stakeConfig,
  voteAccountsConfig,
} from "./params/validator-config.ts";
import { contextRead, historyRead, read } from "./read.ts";

/** Validators: their votes, the slots that they lead, what they and their stake earn. */
export const VALIDATOR_METHODS: readonly Definition[] = Object.freeze([
  read({
    method: "getVoteAccounts",
    result: "the vote accounts of the validators, those that vote and those that are behind",
    params: [voteAccountsConfig],
  }),
  read({
    method: "getSlotLeader",
    result: "the address of the validator that makes the block of the present slot",
    params: [contextParam],
  }),
  read({
    method: "getSlotLeaders",
    result: "a list of the validators that make the blocks of so many slots, from that slot on",
    params: [startSlot, leaderLimit],
  }),
  read({
    method: "getLeaderSchedule",
    result:
      "by validator the slots of the epoch that it leads, counted from the epoch's first; null where the epoch is not known",
    params: [scheduleSlot, leaderScheduleConfig],
    arrange: configInPlace(0),
  }),
  contextRead({
    method: "getBlockProduction",
    result: "by validator how many slots it led and how many blocks it made, in a range of slots",
    params: [blockProductionConfig],
  }),
  historyRead({
    method: "getInflationReward",
    result: "for each address what it got for staking in the epoch, or null where it got nothing",
    params: [anyAddresses, inflationRewardConfig],
  }),
  read({
    method: "getInflationGovernor",
    result: "the settings by which the inflation falls from year to year",
    params: [commitmentParam],
  }),
  read({
    method: "getInflationRate",
    result: "the inflation of the present epoch: all of it, and the shares in it",
  }),
  contextRead({
    method: "getStakeMinimumDelegation",
    result: "the least lamports that can be delegated",
    params: [stakeConfig],
  }),
]);

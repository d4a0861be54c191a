import type { Definition } from "../definition.ts";
import { contextParam } from "./params/config.ts";
import { sampleLimit } from "./params/limits.ts";
import { anySlot } from "./params/plain.ts";
import { read } from "./read.ts";

export const CLUSTER_METHODS: readonly Definition[] = Object.freeze([
  read({
    method: "getEpochInfo",
    result: "the present epoch: its number, how far it has come, and the newest slot",
    params: [contextParam],
  }),
  read({
    method: "getEpochSchedule",
    result: "how long epochs are, and how the first ones grow to that length",
    cache: "constant",
  }),
  read({ method: "getGenesisHash", result: "the genesis hash of the cluster", cache: "constant" }),
  read({ method: "getVersion", result: "the version of the node that answered" }),
  read({
    method: "getTransactionCount",
    result: "how many transactions the chain has had, up to the newest slot of the commitment",
    params: [contextParam],
  }),
  read({
    method: "getRecentPerformanceSamples",
    result: "a list of how many transactions and slots each of the last minutes had, newest first",
    params: [sampleLimit],
  }),
  read({
    method: "getBlockCommitment",
    result: "how much stake has voted for the block of the slot, or null where that is not known",
    params: [anySlot],
  }),
  read({
    method: "getClusterNodes",
    result: "a list of the nodes that the node which answered knows, with their addresses",
  }),
  read({
    method: "getHighestSnapshotSlot",
    result: "the slots of the newest snapshots that the node has",
  }),
  read({
    method: "getMaxRetransmitSlot",
    result: "the highest slot that the node has passed on to others",
  }),
  read({
    method: "getMaxShredInsertSlot",
    result: "the highest slot that the node has got pieces of",
  }),
  read({
    method: "minimumLedgerSlot",
    result: "the lowest slot that the node has something of",
  }),
  read({ method: "getHealth", result: "ok where the node has caught up" }),
]);

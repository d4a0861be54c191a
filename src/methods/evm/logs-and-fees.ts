import type { Definition } from "../definition.ts";
import { blockNumber } from "../params/block-number.ts";
import { blockCount, rewardPercentiles } from "../params/fee-history.ts";
import { logFilter } from "../params/log-filter.ts";
import { read } from "./read.ts";

export const LOG_AND_FEE_METHODS: readonly Definition[] = Object.freeze([
  read({
    method: "eth_getLogs",
    result: "a list of the logs that the filter fits, in the order of the chain",
    params: [logFilter],
    credits: 255,
    cache: "block",
  }),
  read({
    method: "eth_feeHistory",
    result:
      "the base fee and the share of gas that was used of each block, and the priority fees at the percentiles that were asked for",
    params: [blockCount, blockNumber, rewardPercentiles],
    credits: 80,
    cache: "block",
  }),
  read({
    method: "eth_gasPrice",
    result:
      "a gas price that gets a legacy transaction into one of the next blocks, in wei, a quantity",
    credits: 80,
  }),
  read({
    method: "eth_maxPriorityFeePerGas",
    result:
      "a priority fee that gets a transaction into one of the next blocks, in wei, a quantity",
    credits: 80,
  }),
  read({
    method: "eth_blobBaseFee",
    result: "the base fee of blobs of the next block, in wei, a quantity",
    credits: 300,
  }),
]);

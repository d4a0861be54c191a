import type { Definition } from "../definition.ts";
import { blockNumber } from "../params/block-number.ts";
import { blockCount, rewardPercentiles } from "../params/fee-history.ts";
import { logFilter } from "../params/log-filter.ts";
import { read } from "./read.ts";

export const LOG_AND_FEE_METHODS: readonly Definition[] = Object.freeze([
  read({ method: "eth_getLogs", params: [logFilter], credits: 255, cache: "block" }),
  read({
    method: "eth_feeHistory",
    params: [blockCount, blockNumber, rewardPercentiles],
    credits: 80,
    cache: "block",
  }),
  read({ method: "eth_gasPrice", credits: 80 }),
  read({ method: "eth_maxPriorityFeePerGas", credits: 80 }),
  read({ method: "eth_blobBaseFee", credits: 300 }),
]);

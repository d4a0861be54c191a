import type { Definition } from "../definition.ts";
import { slotBlock } from "./block-shape.ts";
import {
  blockConfig,
  blockLimit,
  checkRange,
  configInPlace,
  endSlot,
} from "./params/block-config.ts";
import { blocksContextParam, contextParam } from "./params/config.ts";
import { slot, startSlot } from "./params/plain.ts";
import { historyRead, read } from "./read.ts";

export const BLOCK_METHODS: readonly Definition[] = Object.freeze([
  historyRead({
    method: "getBlock",
    params: [slot, blockConfig],
    cache: "block",
    lookup: "block",
    shape: slotBlock,
  }),
  historyRead({ method: "getBlockTime", params: [slot], cache: "block", lookup: "block" }),
  historyRead({
    method: "getBlocks",
    params: [startSlot, endSlot, blocksContextParam],
    arrange: configInPlace,
    verify: checkRange,
  }),
  historyRead({
    method: "getBlocksWithLimit",
    params: [startSlot, blockLimit, blocksContextParam],
  }),
  read({ method: "getFirstAvailableBlock" }),
  read({ method: "getSlot", params: [contextParam], answerSlot: "result" }),
  read({ method: "getBlockHeight", params: [contextParam] }),
]);

import type { Definition } from "../definition.ts";
import { slotBlock } from "./block-shape.ts";
import { blockConfig, blockLimit, checkRange, endSlot } from "./params/block-config.ts";
import { blocksContextParam, configInPlace, contextParam } from "./params/config.ts";
import { slot, startSlot } from "./params/plain.ts";
import { historyRead, read } from "./read.ts";

export const BLOCK_METHODS: readonly Definition[] = Object.freeze([
  historyRead({
    method: "getBlock",
    result:
      "the block of the slot, with what the config asks for; null where its transactions are not known yet",
    params: [slot, blockConfig],
    cache: "block",
    lookup: "block",
    shape: slotBlock,
  }),
  historyRead({
    method: "getBlockTime",
    result: "when the block was made, in seconds since 1970; null where that is not known",
    params: [slot],
    cache: "block",
    lookup: "block",
  }),
  historyRead({
    method: "getBlocks",
    result: "a list of the slots with confirmed blocks between the two slots",
    params: [startSlot, endSlot, blocksContextParam],
    arrange: configInPlace(1),
    verify: checkRange,
  }),
  historyRead({
    method: "getBlocksWithLimit",
    result: "a list of so many slots with confirmed blocks, from that slot on",
    params: [startSlot, blockLimit, blocksContextParam],
  }),
  read({
    method: "getFirstAvailableBlock",
    result: "the lowest slot whose block the node still has",
  }),
  read({
    method: "getSlot",
    result: "the newest slot of the commitment",
    params: [contextParam],
    answerSlot: "result",
  }),
  read({
    method: "getBlockHeight",
    result: "how many blocks lie below the newest one of the commitment",
    params: [contextParam],
  }),
]);

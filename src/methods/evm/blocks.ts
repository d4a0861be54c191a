import type { Definition } from "../definition.ts";
import { blockNumber } from "../params/block-number.ts";
import { anyBlock } from "../params/block-reference.ts";
import { flag, hash, index } from "../params/plain-params.ts";
import { block } from "../shapes/block.ts";
import { uncle } from "../shapes/uncle.ts";
import { beyondBlocksIsNull } from "./beyond-blocks.ts";
import { lookUpRead } from "./read.ts";

const blockHash = hash("block hash");
const details = flag("transaction details flag");

export const BLOCK_METHODS: readonly Definition[] = Object.freeze([
  lookUpRead({
    method: "eth_getBlockByHash",
    params: [blockHash, details],
    credits: 80,
    shape: block,
  }),
  lookUpRead({
    method: "eth_getBlockByNumber",
    params: [blockNumber, details],
    credits: 80,
    shape: block,
  }),
  lookUpRead({
    method: "eth_getUncleByBlockHashAndIndex",
    params: [blockHash, index],
    credits: 150,
    shape: uncle,
    local: beyondBlocksIsNull,
  }),
  lookUpRead({
    method: "eth_getUncleByBlockNumberAndIndex",
    params: [blockNumber, index],
    credits: 150,
    shape: uncle,
    local: beyondBlocksIsNull,
  }),
  lookUpRead({ method: "eth_getUncleCountByBlockHash", params: [blockHash], credits: 150 }),
  lookUpRead({ method: "eth_getUncleCountByBlockNumber", params: [blockNumber], credits: 150 }),
  lookUpRead({ method: "eth_getBlockTransactionCountByHash", params: [blockHash], credits: 150 }),
  lookUpRead({
    method: "eth_getBlockTransactionCountByNumber",
    params: [blockNumber],
    credits: 150,
  }),
  lookUpRead({ method: "eth_getBlockReceipts", params: [anyBlock], credits: 1000 }),
]);

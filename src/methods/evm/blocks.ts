import type { Definition, Param } from "../definition.ts";
import { blockNumber } from "../params/block-number.ts";
import { anyBlock } from "../params/block-reference.ts";
import { flag, hash, index } from "../params/plain-params.ts";
import { block } from "../shapes/block.ts";
import { uncle } from "../shapes/uncle.ts";
import { beyondBlocksIsNull } from "./beyond-blocks.ts";
import { lookUpRead } from "./read.ts";

const blockHash = hash("block hash");
const details = flag("transaction details flag");

/** Something of a whole block, which is null only where the block is not there. */
const blockRead = (method: string, param: Param, credits: number): Definition =>
  lookUpRead({ method, params: [param], credits, lookup: "block" });

export const BLOCK_METHODS: readonly Definition[] = Object.freeze([
  lookUpRead({
    method: "eth_getBlockByHash",
    params: [blockHash, details],
    credits: 80,
    lookup: "block",
    answerBlock: "number",
    echoes: "hash",
    shows: "hash",
    shape: block,
  }),
  lookUpRead({
    method: "eth_getBlockByNumber",
    params: [blockNumber, details],
    credits: 80,
    lookup: "block",
    echoes: "number",
    shows: "hash",
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
  blockRead("eth_getUncleCountByBlockHash", blockHash, 150),
  blockRead("eth_getUncleCountByBlockNumber", blockNumber, 150),
  blockRead("eth_getBlockTransactionCountByHash", blockHash, 150),
  blockRead("eth_getBlockTransactionCountByNumber", blockNumber, 150),
  lookUpRead({
    method: "eth_getBlockReceipts",
    params: [anyBlock],
    credits: 1000,
    lookup: "block",
    shows: "blockHash",
  }),
]);

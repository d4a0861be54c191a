import type { Definition } from "../definition.ts";
import { blockNumber } from "../params/block-number.ts";
import { anyBlock } from "../params/block-reference.ts";
import { flag, hash, index } from "../params/plain-params.ts";
import { block } from "../shapes/block.ts";
import { header, uncleCount } from "../shapes/of-block.ts";
import { uncle } from "../shapes/uncle.ts";
import { beyondBlocksIsNull } from "./beyond-blocks.ts";
import { lookUpRead, partOfBlock } from "./read.ts";

const blockHash = hash("block hash");
const details = flag("transaction details flag");

/** Something of a whole block, which is null only where the block is not there. */
const blockRead = (particulars: Pick<Definition, "method" | "params" | "result">): Definition =>
  lookUpRead({ credits: 150, lookup: "block", ...particulars });

export const BLOCK_METHODS: readonly Definition[] = Object.freeze([
  lookUpRead({
    method: "eth_getBlockByHash",
    result:
      "the block, or null where no node has it; with true as the second parameter its transactions are whole, else their hashes",
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
    result:
      "the block, or null where there is none yet; with true as the second parameter its transactions are whole, else their hashes",
    params: [blockNumber, details],
    credits: 80,
    lookup: "block",
    echoes: "number",
    shows: "hash",
    shape: block,
  }),
  partOfBlock(
    {
      method: "eth_getHeaderByHash",
      result: "the header of the block, or null where no node has it",
      params: [blockHash],
      credits: 80,
      answerBlock: "number",
      echoes: "hash",
      shows: "hash",
    },
    { method: "eth_getBlockByHash", shape: header },
  ),
  partOfBlock(
    {
      method: "eth_getHeaderByNumber",
      result: "the header of the block, or null where there is none yet",
      params: [blockNumber],
      credits: 80,
      echoes: "number",
      shows: "hash",
    },
    { method: "eth_getBlockByNumber", shape: header },
  ),
  lookUpRead({
    method: "eth_getUncleByBlockHashAndIndex",
    result: "the header of that uncle, or null where there is none",
    params: [blockHash, index],
    credits: 150,
    shape: uncle,
    local: beyondBlocksIsNull,
  }),
  lookUpRead({
    method: "eth_getUncleByBlockNumberAndIndex",
    result: "the header of that uncle, or null where there is none",
    params: [blockNumber, index],
    credits: 150,
    shape: uncle,
    local: beyondBlocksIsNull,
  }),
  partOfBlock(
    {
      method: "eth_getUncleCountByBlockHash",
      params: [blockHash],
      result: "how many uncles the block has, a quantity; null where there is no such block",
      credits: 150,
    },
    { method: "eth_getBlockByHash", shape: uncleCount },
  ),
  partOfBlock(
    {
      method: "eth_getUncleCountByBlockNumber",
      params: [blockNumber],
      result: "how many uncles the block has, a quantity; null where there is no such block",
      credits: 150,
    },
    { method: "eth_getBlockByNumber", shape: uncleCount },
  ),
  blockRead({
    method: "eth_getBlockTransactionCountByHash",
    params: [blockHash],
    result: "how many transactions the block has, a quantity; null where there is no such block",
  }),
  blockRead({
    method: "eth_getBlockTransactionCountByNumber",
    params: [blockNumber],
    result: "how many transactions the block has, a quantity; null where there is no such block",
  }),
  lookUpRead({
    method: "eth_getBlockReceipts",
    result:
      "a list of the receipts of all transactions of the block, in their order; null where there is no such block",
    params: [anyBlock],
    credits: 1000,
    lookup: "block",
    shows: "blockHash",
  }),
]);

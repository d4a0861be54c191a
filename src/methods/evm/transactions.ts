import type { Definition } from "../definition.ts";
import { blockNumber } from "../params/block-number.ts";
import { hash, index } from "../params/plain-params.ts";
import { transaction } from "../shapes/transaction.ts";
import { beyondBlocksIsNull } from "./beyond-blocks.ts";
import { lookUpRead } from "./read.ts";

const transactionHash = hash("transaction hash");

export const TRANSACTION_METHODS: readonly Definition[] = Object.freeze([
  lookUpRead({
    method: "eth_getTransactionByHash",
    result:
      "the transaction; null where no node knows it. blockNumber is null until it is in a block",
    params: [transactionHash],
    credits: 80,
    answerBlock: "blockNumber",
    echoes: "hash",
    shows: "blockHash",
    shape: transaction,
  }),
  lookUpRead({
    method: "eth_getTransactionByBlockHashAndIndex",
    result: "the transaction at that place of the block, or null where there is none",
    params: [hash("block hash"), index],
    credits: 150,
    echoes: "blockHash",
    shows: "blockHash",
    shape: transaction,
    local: beyondBlocksIsNull,
  }),
  lookUpRead({
    method: "eth_getTransactionByBlockNumberAndIndex",
    result: "the transaction at that place of the block, or null where there is none",
    params: [blockNumber, index],
    credits: 150,
    echoes: "blockNumber",
    shows: "blockHash",
    shape: transaction,
    local: beyondBlocksIsNull,
  }),
  // Its answer does not say which block the transaction is in, if any.
  lookUpRead({
    method: "eth_getRawTransactionByHash",
    result: "the bytes of the signed transaction; null where no node knows it",
    params: [transactionHash],
    credits: 80,
    cache: "never",
  }),
  lookUpRead({
    method: "eth_getRawTransactionByBlockHashAndIndex",
    result: "the bytes of the signed transaction at that place of the block, or null",
    params: [hash("block hash"), index],
    credits: 150,
    local: beyondBlocksIsNull,
  }),
  lookUpRead({
    method: "eth_getRawTransactionByBlockNumberAndIndex",
    result: "the bytes of the signed transaction at that place of the block, or null",
    params: [blockNumber, index],
    credits: 150,
    local: beyondBlocksIsNull,
  }),
  lookUpRead({
    method: "eth_getTransactionReceipt",
    result:
      "the receipt: status, gas used, logs, the address of a contract that was made; null until the transaction is in a block",
    params: [transactionHash],
    credits: 80,
    answerBlock: "blockNumber",
    echoes: "transactionHash",
    shows: "blockHash",
  }),
]);

import type { Definition } from "../definition.ts";
import { contextParam } from "./params/config.ts";
import {
  address,
  blockhash,
  lockedAccounts,
  signatures,
  transactionSignature,
  wireData,
} from "./params/plain.ts";
import {
  signatureStatusConfig,
  signaturesForAddressConfig,
  simulationConfig,
  transactionConfig,
} from "./params/transaction-config.ts";
import { contextRead, historyRead, read } from "./read.ts";
import { slotTransaction } from "./versions.ts";

export const TRANSACTION_METHODS: readonly Definition[] = Object.freeze([
  historyRead({
    method: "getTransaction",
    result: "the transaction and what became of it; null where no node has it",
    params: [transactionSignature, transactionConfig],
    cache: "block",
    lookup: "part",
    shape: slotTransaction,
  }),
  // Its answer's slot is of no commitment that it names.
  read({
    method: "getSignatureStatuses",
    result:
      "for each signature the slot, the confirmations and the error of its transaction, or null where none is known",
    params: [signatures, signatureStatusConfig],
  }),
  historyRead({
    method: "getSignaturesForAddress",
    result: "a list of the signatures of transactions that name the address, newest first",
    params: [address, signaturesForAddressConfig],
  }),
  contextRead({
    method: "getLatestBlockhash",
    result: "the newest blockhash, and the block height up to which a transaction may use it",
    params: [contextParam],
  }),
  contextRead({
    method: "isBlockhashValid",
    result: "whether a transaction may still use the blockhash",
    params: [blockhash, contextParam],
  }),
  contextRead({
    method: "getFeeForMessage",
    result: "the fee of the message in lamports; null where its blockhash is not valid any more",
    params: [wireData("message"), contextParam],
  }),
  read({
    method: "getRecentPrioritizationFees",
    result: "a list of the priority fees that got transactions into the newest blocks, by slot",
    params: [lockedAccounts],
  }),
  contextRead({
    method: "simulateTransaction",
    result: "the error, the logs and the compute units of the transaction; it is not sent",
    params: [wireData("transaction"), simulationConfig],
  }),
]);

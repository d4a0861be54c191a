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
    params: [transactionSignature, transactionConfig],
    cache: "block",
    lookup: "part",
    shape: slotTransaction,
  }),
  // Its answer's slot is of no commitment that it names.
  read({ method: "getSignatureStatuses", params: [signatures, signatureStatusConfig] }),
  historyRead({
    method: "getSignaturesForAddress",
    params: [address, signaturesForAddressConfig],
  }),
  contextRead({ method: "getLatestBlockhash", params: [contextParam] }),
  contextRead({ method: "isBlockhashValid", params: [blockhash, contextParam] }),
  contextRead({ method: "getFeeForMessage", params: [wireData("message"), contextParam] }),
  read({ method: "getRecentPrioritizationFees", params: [lockedAccounts] }),
  contextRead({
    method: "simulateTransaction",
    params: [wireData("transaction"), simulationConfig],
  }),
]);

import type { JsonValue } from "../../jsonrpc/value.ts";
import type { Definition } from "../definition.ts";
import { stateBlock } from "../params/block-reference.ts";
import { address } from "../params/plain-params.ts";
import { storageKeys, storagePosition, storageWord } from "../params/storage-position.ts";
import { storageProof } from "../shapes/storage-proof.ts";
import { storageValue } from "../shapes/storage-value.ts";
import { stateRead } from "./read.ts";

const block = stateBlock(false);

export const STATE_METHODS: readonly Definition[] = Object.freeze([
  stateRead({
    method: "eth_getStorageAt",
    result: "the word at that position of the account's storage, 32 bytes",
    params: [address, storagePosition, stateBlock("strict")],
    credits: 80,
    shape: storageValue,
  }),
  stateRead({
    method: "eth_getBalance",
    result: "the balance of the address in wei, a quantity",
    params: [address, block],
    credits: 80,
  }),
  stateRead({
    method: "eth_getCode",
    result: "the code of the contract as bytes, 0x where there is none",
    params: [address, block],
    credits: 80,
  }),
  stateRead({
    method: "eth_getTransactionCount",
    result: "how many transactions the address has sent, a quantity: the nonce of its next one",
    params: [address, block],
    credits: 80,
  }),
  stateRead({
    method: "eth_getProof",
    result: "the account with its Merkle proof, and a proof for each of the storage keys",
    params: [address, storageKeys, block],
    credits: 150,
    forNode: ([account = null, keys, ...rest]) => [account, wordsOf(keys), ...rest],
    shape: storageProof,
  }),
]);

/** Checked storage keys as 32 bytes each. */
function wordsOf(keys: JsonValue | undefined): JsonValue {
  return Array.isArray(keys) ? keys.map((key) => storageWord(String(key))) : [];
}

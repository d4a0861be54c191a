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
    params: [address, storagePosition, stateBlock("strict")],
    credits: 80,
    shape: storageValue,
  }),
  stateRead({ method: "eth_getBalance", params: [address, block], credits: 80 }),
  stateRead({ method: "eth_getCode", params: [address, block], credits: 80 }),
  stateRead({ method: "eth_getTransactionCount", params: [address, block], credits: 80 }),
  stateRead({
    method: "eth_getProof",
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

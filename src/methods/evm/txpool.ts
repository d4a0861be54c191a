import type { Definition } from "../definition.ts";
import { address } from "../params/plain-params.ts";
import { inGroup } from "./read.ts";

const txpool = inGroup("txpool", 80);

/** What waits in the pool of the node that answers (internal/ethapi/api.go of go-ethereum). */
export const TXPOOL_METHODS: readonly Definition[] = Object.freeze([
  txpool({
    method: "txpool_status",
    result: "how many transactions wait to be mined, and how many for an earlier one, quantities",
  }),
  txpool({
    method: "txpool_inspect",
    result: "the transactions that wait, in words, by sender and nonce",
  }),
  txpool({
    method: "txpool_content",
    result: "the transactions that wait, by sender and nonce",
  }),
  txpool({
    method: "txpool_contentFrom",
    result: "the transactions of the address that wait, by nonce",
    params: [address],
  }),
]);

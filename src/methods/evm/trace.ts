import type { Definition } from "../definition.ts";
import { blockNumber } from "../params/block-number.ts";
import { stateBlock } from "../params/block-reference.ts";
import { callObject } from "../params/call-object.ts";
import { hash } from "../params/plain-params.ts";
import { traceFilter, traceTypes } from "../params/tracing.ts";
import { inGroup } from "./read.ts";

const transactionHash = hash("transaction hash");

const trace = inGroup("trace", 300);

/** Of OpenEthereum, as Erigon, reth, Nethermind, Besu and anvil have them. */
export const TRACE_METHODS: readonly Definition[] = Object.freeze([
  // Of a block that is not there yet some nodes have no calls: an answer does not show that it is.
  trace({
    method: "trace_block",
    result: "a list of all calls and rewards of the block, those that contracts make too",
    params: [blockNumber],
  }),
  trace({
    method: "trace_transaction",
    result: "a list of all calls of the transaction; null where no node knows it",
    params: [transactionHash],
    lookup: "part",
  }),
  trace({
    method: "trace_call",
    result: "what the call returns, and its traces of the types that are asked for",
    params: [callObject("optional"), traceTypes, stateBlock(false)],
    state: true,
  }),
  trace({
    method: "trace_filter",
    result: "a list of the calls in the blocks, as far as the filter lets them through",
    params: [traceFilter],
  }),
  trace({
    method: "trace_replayTransaction",
    result:
      "the traces of the transaction, of the types that are asked for; null where no node knows it",
    params: [transactionHash, traceTypes],
    lookup: "part",
  }),
]);

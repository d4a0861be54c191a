import type { Definition } from "../definition.ts";
import { blockNumber } from "../params/block-number.ts";
import { anyBlock, stateBlock } from "../params/block-reference.ts";
import { callObject } from "../params/call-object.ts";
import { hash } from "../params/plain-params.ts";
import { callTraceConfig, minedTraceConfig } from "../params/tracing.ts";
import { inGroup } from "./read.ts";

const debug = inGroup("debug", 1000);

/** Of go-ethereum (eth/tracers/api.go, internal/ethapi/api.go). */
export const DEBUG_METHODS: readonly Definition[] = Object.freeze([
  debug({
    method: "debug_traceTransaction",
    result: "what the tracer tells of the transaction; null where no node knows it",
    params: [hash("transaction hash"), minedTraceConfig],
    lookup: "part",
  }),
  debug({
    method: "debug_traceCall",
    result: "what the tracer tells of a call; nothing is sent to the chain",
    params: [callObject("optional"), stateBlock(false), callTraceConfig],
    state: true,
  }),
  debug({
    method: "debug_traceBlockByNumber",
    result: "a list of what the tracer tells of each transaction of the block",
    params: [blockNumber, minedTraceConfig],
    state: true,
  }),
  debug({
    method: "debug_traceBlockByHash",
    result: "a list of what the tracer tells of each transaction of the block",
    params: [hash("block hash"), minedTraceConfig],
    state: true,
  }),
  debug({
    method: "debug_getRawBlock",
    result: "the bytes of the block, in RLP",
    params: [anyBlock],
  }),
  debug({
    method: "debug_getRawHeader",
    result: "the bytes of the block's header, in RLP",
    params: [anyBlock],
  }),
  debug({
    method: "debug_getRawReceipts",
    result: "a list of the bytes of each receipt of the block",
    params: [anyBlock],
  }),
]);

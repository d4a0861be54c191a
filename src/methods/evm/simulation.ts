import type { Definition } from "../definition.ts";
import { stateBlock } from "../params/block-reference.ts";
import { callObject } from "../params/call-object.ts";
import { blockOverrides, stateOverrides } from "../params/overrides.ts";
import { stateRead } from "./read.ts";

export const SIMULATION_METHODS: readonly Definition[] = Object.freeze([
  stateRead({
    method: "eth_call",
    params: [callObject("strict"), stateBlock("strict"), stateOverrides, blockOverrides],
    credits: 80,
  }),
  stateRead({
    method: "eth_estimateGas",
    params: [callObject("optional"), stateBlock("strict"), stateOverrides, blockOverrides],
    credits: 300,
  }),
  stateRead({
    method: "eth_createAccessList",
    params: [callObject("optional"), stateBlock(false), stateOverrides],
    credits: 80,
  }),
]);

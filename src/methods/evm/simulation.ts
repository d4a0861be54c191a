import type { Definition } from "../definition.ts";
import { stateBlock } from "../params/block-reference.ts";
import { callObject } from "../params/call-object.ts";
import { blockOverrides, stateOverrides } from "../params/overrides.ts";
import { simulatedBlocks } from "../params/simulation.ts";
import { stateRead } from "./read.ts";

export const SIMULATION_METHODS: readonly Definition[] = Object.freeze([
  stateRead({
    method: "eth_call",
    result:
      "the bytes that the call returns; nothing is sent to the chain. A call that reverts is an error with the code 3 and the data of the revert",
    params: [callObject("strict"), stateBlock("strict"), stateOverrides, blockOverrides],
    credits: 80,
  }),
  stateRead({
    method: "eth_estimateGas",
    result: "the gas that the transaction would use, a quantity",
    params: [callObject("optional"), stateBlock("strict"), stateOverrides, blockOverrides],
    credits: 300,
  }),
  stateRead({
    method: "eth_simulateV1",
    result:
      "a list of the blocks that the calls would make, with what each call returns, its logs and its gas; nothing is sent to the chain",
    params: [simulatedBlocks, stateBlock(false)],
    credits: 300,
  }),
  stateRead({
    method: "eth_createAccessList",
    result:
      "the access list that the transaction would need, and the gas that it would use with it",
    params: [callObject("optional"), stateBlock(false), stateOverrides],
    credits: 80,
  }),
]);

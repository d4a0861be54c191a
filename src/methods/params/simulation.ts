/** The first parameter of eth_simulateV1: calls in blocks that are taken to follow. */
import type { Param, ParamChoices } from "../definition.ts";
import { callObject } from "./call-object.ts";
import { goField, goValue, list } from "./decode.ts";
import { ADDRESS_EXAMPLE } from "./examples.ts";
import { asObject, checkFields, fieldTable } from "./fields.ts";
import { flagField } from "./go-fields.ts";
import { blockOverrides, stateOverrides } from "./overrides.ts";
import { ParamFault } from "./param-fault.ts";

const OPTIONS = goValue("ethapi.simOpts");
const BLOCK = goField("simOpts.blockStateCalls", "ethapi.simBlock");
const BLOCKS = goField("simOpts.blockStateCalls", "[]ethapi.simBlock");
const CALLS = goField("simBlock.calls", "[]ethapi.TransactionArgs");
/** Of go-ethereum (internal/ethapi/simulate.go). */
const [MOST_BLOCKS, MOST_CALLS] = [256, 5000];
const NAMES = ["blockStateCalls", "traceTransfers", "validation", "returnFullTransactions"];

const call = callObject("optional");

/** With what the network chooses about calls. */
function tableOf(choices: ParamChoices) {
  const block = fieldTable({
    blockOverrides: (value) => blockOverrides.check(value, choices),
    stateOverrides: (value) => stateOverrides.check(value, choices),
    calls: (value) => {
      const calls = list(value, CALLS, (each) => call.check(each, choices));
      if (calls.length <= MOST_CALLS) return calls;
      throw new ParamFault(`too many calls in block: ${calls.length} > ${MOST_CALLS}`);
    },
  });
  return fieldTable({
    blockStateCalls: (value) => {
      const blocks = list(value, BLOCKS, (each) => checkFields(asObject(each, BLOCK), block));
      if (blocks.length <= MOST_BLOCKS) return blocks;
      throw new ParamFault("too many blocks");
    },
    traceTransfers: flagField("simOpts.traceTransfers"),
    validation: flagField("simOpts.validation"),
    returnFullTransactions: flagField("simOpts.returnFullTransactions"),
  });
}

const TABLES = {
  pass: tableOf({ strict: false, unknownKeys: "pass" }),
  refuse: tableOf({ strict: false, unknownKeys: "refuse" }),
};

export const simulatedBlocks: Param = Object.freeze({
  name: "simulation",
  want: `an object with blockStateCalls, a list of blocks with calls, and any of the keys ${NAMES.slice(1).join(", ")}`,
  role: "simulation",
  required: true,
  example: {
    blockStateCalls: [{ calls: [{ from: ADDRESS_EXAMPLE, to: ADDRESS_EXAMPLE, data: "0x" }] }],
  },
  check: (value, { unknownKeys }) => {
    const options = checkFields(asObject(value, OPTIONS), TABLES[unknownKeys]);
    const blocks = options.get("blockStateCalls");
    if (Array.isArray(blocks) && blocks.length > 0) return options;
    throw new ParamFault("empty input");
  },
} satisfies Param);

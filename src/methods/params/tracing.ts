/** The parameters of debug_trace… (eth/tracers of go-ethereum 1.17) and trace_… (Erigon, reth, Nethermind, anvil). */
import { type JsonValue, kindOf, NumberToken } from "../../jsonrpc/value.ts";
import type { Param } from "../definition.ts";
import { readBlockNumber } from "./block-number.ts";
import { cannotUnmarshal, goField, goValue, list, quantity, string } from "./decode.ts";
import { ADDRESS_EXAMPLE } from "./examples.ts";
import { asObject, checkFields, type FieldCheck, fieldTable } from "./fields.ts";
import { addressField, flagField, listField, numberField } from "./go-fields.ts";
import { blockOverrides, stateOverrides } from "./overrides.ts";
import { ParamFault } from "./param-fault.ts";

const CONFIG = goValue("tracers.TraceConfig");
const FILTER = goValue("TraceFilter");
const TYPES = goValue("[]string");
/** Nodes run other texts as programs. */
const TRACER_NAME = /^[A-Za-z0-9_]{1,64}$/;
/** A node would work on for so long after its client is gone. */
const TIMEOUT = /^\d{1,2}(?:\.\d{1,3})?(?:ms|s)$/;
const COUNT = /^\d{1,15}$/;
const KINDS = ["trace", "vmTrace", "stateDiff"];
const PLAIN_CHOICES = { strict: false, unknownKeys: "refuse" } as const;

/** A number, as geth and reth read it, or a quantity; nodes of other kinds read that. */
function countField(place: string): FieldCheck {
  const target = goField(place, "int");
  return (value) => {
    if (typeof value === "string") return quantity(value, 64, target);
    if (value instanceof NumberToken && COUNT.test(value.text)) return value;
    throw cannotUnmarshal(kindOf(value), target);
  };
}

function textField(name: string, form: RegExp, want: string): FieldCheck {
  const target = goField(`TraceConfig.${name}`, "string");
  return (value) => {
    if (form.test(string(value, target))) return value;
    throw new ParamFault(`${name} is not taken: want ${want}`);
  };
}

const CONFIG_FIELDS = {
  tracer: textField("tracer", TRACER_NAME, "the name of a tracer that nodes have"),
  tracerConfig: (value: JsonValue) =>
    asObject(value, goField("TraceConfig.tracerConfig", "object")),
  timeout: textField("timeout", TIMEOUT, 'seconds, such as "5s", at most two digits'),
  limit: countField("TraceConfig.limit"),
  enableMemory: flagField("TraceConfig.enableMemory"),
  disableMemory: flagField("TraceConfig.disableMemory"),
  disableStack: flagField("TraceConfig.disableStack"),
  disableStorage: flagField("TraceConfig.disableStorage"),
  enableReturnData: flagField("TraceConfig.enableReturnData"),
  disableReturnData: flagField("TraceConfig.disableReturnData"),
};
const OF_MINED = fieldTable(CONFIG_FIELDS);
const OF_CALL = fieldTable({
  ...CONFIG_FIELDS,
  stateOverrides: (value) => stateOverrides.check(value, PLAIN_CHOICES),
  blockOverrides: (value) => blockOverrides.check(value, PLAIN_CHOICES),
  txIndex: numberField("TraceCallConfig.txIndex", 64),
});

function traceConfig(fields: typeof OF_MINED): Param {
  return Object.freeze({
    name: "trace config",
    want: `an object with any of the keys ${fields.known}`,
    required: false,
    members: [
      { name: "tracer", want: "the name of a tracer, such as callTracer or prestateTracer" },
      { name: "tracerConfig", want: "an object for the tracer" },
    ],
    check: (value) => checkFields(asObject(value, CONFIG), fields),
  } satisfies Param);
}

/** Of what is mined; and of a call, which may stand on another state. */
export const minedTraceConfig: Param = traceConfig(OF_MINED);
export const callTraceConfig: Param = traceConfig(OF_CALL);

export const traceTypes: Param = Object.freeze({
  name: "trace types",
  want: `a list with any of ${KINDS.join(", ")}`,
  required: true,
  example: ["trace"],
  check: (value) =>
    list(value, TYPES, (each) => {
      if (typeof each === "string" && KINDS.includes(each)) return each;
      throw new ParamFault("unknown trace type");
    }),
} satisfies Param);

const addressList = (place: string): FieldCheck =>
  listField(place, "[]common.Address", addressField(place));

const FILTER_FIELDS = fieldTable({
  fromBlock: readBlockNumber,
  toBlock: readBlockNumber,
  fromAddress: addressList("TraceFilter.fromAddress"),
  toAddress: addressList("TraceFilter.toAddress"),
  after: countField("TraceFilter.after"),
  count: countField("TraceFilter.count"),
});

/** A bound that is left out means the head, as of eth_getLogs. */
export const traceFilter: Param = Object.freeze({
  name: "trace filter",
  want: `an object with any of the keys ${FILTER_FIELDS.known}`,
  role: "filter",
  required: true,
  example: { fromBlock: "latest", toBlock: "latest", toAddress: [ADDRESS_EXAMPLE] },
  members: [
    { name: "fromBlock", want: "a block number or tag", role: "block" },
    { name: "toBlock", want: "a block number or tag", role: "block" },
    { name: "fromAddress", want: "a list of addresses" },
    { name: "toAddress", want: "a list of addresses" },
    { name: "after", want: "how many traces to leave out" },
    { name: "count", want: "the most traces to give" },
  ],
  check: (value) => checkFields(asObject(value, FILTER), FILTER_FIELDS),
} satisfies Param);

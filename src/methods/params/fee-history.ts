/** The parameters of eth_feeHistory beside a block. */
import { type JsonValue, kindOf, NumberToken } from "../../jsonrpc/value.ts";
import type { Param } from "../definition.ts";
import { cannotUnmarshal, goValue, list } from "./decode.ts";
import { ParamFault, quote } from "./param-fault.ts";

const INTEGER = /^(?:0x[0-9a-fA-F]{1,64}|[0-9]{1,64})$/;
const MAX_UINT64 = 2n ** 64n - 1n;
const FLOATS = goValue("[]float64");
const FLOAT = goValue("float64");
const MAX_PERCENTILES = 100;

/** math.HexOrDecimal64: hexadecimal or decimal, a string or a JSON number. Sent as a quantity. */
function readCount(value: JsonValue): string {
  const text = value instanceof NumberToken ? value.text : value;
  if (typeof text === "string" && INTEGER.test(text)) {
    const count = BigInt(text);
    if (count <= MAX_UINT64) return `0x${count.toString(16)}`;
  }
  const shown = typeof text === "string" ? text : kindOf(value);
  throw new ParamFault(`invalid hex or decimal integer ${quote(shown)}`);
}

export const blockCount: Param = Object.freeze({
  name: "block count",
  want: 'a number of blocks, such as "0x5" or 5',
  role: "block-count",
  required: true,
  example: "0x5",
  check: readCount,
});

function invalid(what: string): ParamFault {
  return new ParamFault(`invalid reward percentile: ${what}`, { whole: true });
}

/** Numbers from 0 to 100, each above the one before, at most 100 of them (eth/gasprice). */
function readPercentiles(value: JsonValue): JsonValue {
  let before = Number.NEGATIVE_INFINITY;
  const percentiles = list(value, FLOATS, (element) => {
    if (!(element instanceof NumberToken)) throw cannotUnmarshal(kindOf(element), FLOAT);
    return element;
  });
  if (percentiles.length > MAX_PERCENTILES)
    throw invalid(`over the query limit ${MAX_PERCENTILES}`);
  for (const [index, percentile] of percentiles.entries()) {
    const share = Number((percentile as NumberToken).text);
    if (!(share >= 0 && share <= 100)) throw invalid(share.toFixed(6));
    if (share <= before) {
      throw invalid(`#${index - 1}:${before.toFixed(6)} >= #${index}:${share.toFixed(6)}`);
    }
    before = share;
  }
  return percentiles;
}

export const rewardPercentiles: Param = Object.freeze({
  name: "reward percentiles",
  want: "an array of rising numbers from 0 to 100",
  required: false,
  fallback: [],
  check: readPercentiles,
});

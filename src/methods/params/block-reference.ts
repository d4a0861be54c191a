import { type JsonObject, type JsonValue, kindOf } from "../../jsonrpc/value.ts";
import type { Param } from "../definition.ts";
import { readBlockNumber, readNumberOrTag } from "./block-number.ts";
import { cannotUnmarshal, fixedBytes, goValue, isHex } from "./decode.ts";
import { checkFields, type FieldCheck, fieldTable } from "./fields.ts";
import { ParamFault } from "./param-fault.ts";

const HASH_CHARACTERS = 66;
const STRING = goValue("string");
const HASH = goValue("common.Hash");

/** Go reads an object whose fields are wrong once more, as a string: its words are that fault's. */
const orString =
  (check: FieldCheck): FieldCheck =>
  (value) => {
    try {
      return check(value);
    } catch (cause) {
      throw new ParamFault(cannotUnmarshal("object", STRING).message, { cause });
    }
  };

const EIP_1898 = fieldTable({
  blockNumber: orString(readBlockNumber),
  blockHash: orString((value) => fixedBytes(value, 32, HASH)),
  requireCanonical: orString((value) => {
    if (typeof value !== "boolean") throw cannotUnmarshal(kindOf(value), STRING);
    return value;
  }),
});

/**
 * rpc.BlockNumberOrHash. Returns a number or tag as a string, a hash as `{blockHash}` with
 * `requireCanonical: true` where that is asked: every node that takes hashes takes this form.
 */
function readBlockReference(value: JsonValue): JsonValue {
  if (value === null) throw new ParamFault("must specify either BlockHash or BlockNumber");
  if (value instanceof Map) return readObject(checkFields(value, EIP_1898));
  if (typeof value !== "string") throw cannotUnmarshal(kindOf(value), STRING);
  if (value.length !== HASH_CHARACTERS) return readNumberOrTag(value, "blocknumber too high");
  if (!value.startsWith("0x")) throw new ParamFault("hex string without 0x prefix");
  if (!isHex(value)) throw new ParamFault("invalid hex string");
  return new Map([["blockHash", value.toLowerCase()]]);
}

function readObject(fields: JsonObject): JsonValue {
  const number = fields.get("blockNumber");
  const hash = fields.get("blockHash");
  if (number !== undefined && hash !== undefined) {
    throw new ParamFault("cannot specify both BlockHash and BlockNumber, choose one or the other");
  }
  if (hash === undefined) {
    if (number === undefined) throw new ParamFault("must specify either BlockHash or BlockNumber");
    return number;
  }
  const isPlain = fields.size === 1 || fields.get("requireCanonical") === true;
  return isPlain ? fields : new Map([["blockHash", hash]]);
}

const WANT =
  'a block number such as "0x1b4", latest, earliest, pending, safe or finalized, a block hash, ' +
  "{blockNumber}, or {blockHash, requireCanonical}";

/** The block of whose state something is asked; `latest` where it is left out. */
export const stateBlock = (required: "strict" | false): Param =>
  Object.freeze({
    name: "block",
    want: WANT,
    role: "block",
    required,
    fallback: "latest",
    example: "latest",
    check: readBlockReference,
  });

/** A block in any of these forms, always required. */
export const anyBlock: Param = Object.freeze({
  name: "block",
  want: WANT,
  role: "block",
  required: true,
  example: "latest",
  check: readBlockReference,
});

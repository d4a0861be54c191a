import { type JsonObject, type JsonValue, kindOf, NumberToken } from "../../jsonrpc/value.ts";
import { type Cursor, readCursor } from "../cursor.ts";
import type { Param } from "../definition.ts";
import { cannotUnmarshal, goValue } from "./decode.ts";
import { asObject } from "./fields.ts";
import { hashField } from "./go-fields.ts";
import { ParamFault, quote } from "./param-fault.ts";

const TARGET = goValue("resume");
const hash = hashField("resume.blockHash");
/** A log's place in its block, as a log has it or in decimal digits. */
const LOG_INDEX = /^(?:0x[0-9a-f]{1,8}|[0-9]{1,10})$/i;

/**
 * Where a client stands that was told before: `{"resume": CURSOR}` of its last notification, or the
 * last block or log that it has: `{"resume": {"blockHash": H, "logIndex": I}}`.
 * @throws ParamFault
 */
export function readResume(value: JsonValue): Cursor {
  const given = asObject(value, TARGET);
  const from = given.get("resume");
  if (given.size !== 1 || from === undefined) {
    throw new ParamFault('an object with the key "resume" alone is wanted');
  }
  if (typeof from === "string") {
    const cursor = readCursor(from);
    if (cursor === undefined) throw new ParamFault(`${quote(from)} is no cursor`);
    return cursor;
  }
  if (!(from instanceof Map)) throw cannotUnmarshal(kindOf(from), TARGET);
  return lastSeen(from);
}

function lastSeen(from: JsonObject): Cursor {
  const index = from.get("logIndex") ?? undefined;
  const text = index instanceof NumberToken ? index.text : index;
  if (text !== undefined && (typeof text !== "string" || !LOG_INDEX.test(text))) {
    throw new ParamFault("resume.logIndex is no log's place in its block");
  }
  return {
    number: undefined,
    hash: hash(from.get("blockHash") ?? null) as string,
    logIndex: text === undefined ? undefined : Number(text),
    isRemoving: false,
  };
}

export const resume: Param = Object.freeze({
  name: "resume",
  want: '{"resume": CURSOR} with the cursor of a notification, or with {"blockHash": …, "logIndex": …} in its place',
  required: false,
  check: (value) => {
    readResume(value);
    return value;
  },
});

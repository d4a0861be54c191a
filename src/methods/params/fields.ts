import { encode, type JsonObject, type JsonValue, kindOf } from "../../jsonrpc/value.ts";
import { cannotUnmarshal, type Target } from "./decode.ts";
import { ParamFault, quote } from "./param-fault.ts";

export type FieldCheck = (value: JsonValue) => JsonValue;

/** The fields that an object may have, with their places in the canonical order. */
type Fields = {
  /** Their names, for the texts of `want`. */
  readonly known: string;
  readonly checks: ReadonlyMap<string, { readonly check: FieldCheck; readonly rank: number }>;
  /** Their names by what `foldCase` makes of them. */
  readonly folded: ReadonlyMap<string, string>;
};

/** The treatment of a field that is not known: a fault, left out, or sent as it came. */
type Unknown = "refuse" | "ignore" | "pass";

/** A client can have one object hold so many fields that are passed on. */
const MAX_PASSED_FIELDS = 32;
/** Fields that are passed on are sent after the known ones. */
const PASSED_RANK = Number.MAX_SAFE_INTEGER;
/** Every character beyond ASCII that Unicode case folding (simple or full) turns into ASCII letters. */
const FOLDS_TO_ASCII = /[\u00df\u017f\u1e9e\u212a\ufb00-\ufb06]/g;

/** Freezes a table of fields; its order is the order in which they are sent. */
export function fieldTable(table: Readonly<Record<string, FieldCheck>>): Fields {
  const entries = Object.entries(table);
  return Object.freeze({
    known: entries.map(([name]) => name).join(", "),
    checks: new Map(entries.map(([name, check], rank) => [name, { check, rank }])),
    folded: new Map(entries.map(([name]) => [foldCase(name), name])),
  });
}

/**
 * The name without regard to case: equal for two names of which one is ASCII where Unicode calls
 * them a caseless match. Nodes in Go match the names of fields like that.
 */
export function foldCase(name: string): string {
  return name
    .replace(FOLDS_TO_ASCII, (character) => character.toLowerCase().toUpperCase())
    .toLowerCase();
}

/**
 * The object with each field checked, in the table's order, so that equal calls read the same; fields
 * that are passed on follow in the client's order. A known field that is null is absent.
 */
export function checkFields(
  object: JsonObject,
  fields: Fields,
  unknown: Unknown = "refuse",
): JsonObject {
  const { checks } = fields;
  // The object itself while nothing of it is otherwise: that one knows its text.
  let checked: JsonObject = object;
  let last = -1;
  let ordered = true;
  let passed = 0;
  for (const [name, value] of object) {
    const field = checks.get(name);
    if (field === undefined && unknown !== "ignore") {
      passed += 1;
      checkUnknown(name, fields, { unknown, passed });
      if (checked !== object) checked.set(name, value);
      last = PASSED_RANK;
      continue;
    }
    const canonical = field === undefined || value === null ? undefined : field.check(value);
    if (canonical !== value && checked === object) checked = membersBefore(name, object);
    if (field === undefined || canonical === undefined) continue;
    if (checked !== object) checked.set(name, canonical);
    if (field.rank < last) ordered = false;
    last = field.rank;
  }
  if (ordered) return checked;
  const rank = (name: string): number => checks.get(name)?.rank ?? PASSED_RANK;
  return new Map([...checked].sort(([a], [b]) => rank(a) - rank(b)));
}

/** The value as an object, or Go's fault for one of another kind. */
export function asObject(value: JsonValue, target: Target): JsonObject {
  if (!(value instanceof Map)) throw cannotUnmarshal(kindOf(value), target);
  return value;
}

/** @throws ParamFault where the field is not passed on, or is one too many */
function checkUnknown(
  name: string,
  { folded }: Fields,
  { unknown, passed }: { readonly unknown: Unknown; readonly passed: number },
): void {
  if (unknown === "refuse") throw new ParamFault(`json: unknown field ${quote(name)}`);
  const known = folded.get(foldCase(name));
  if (known !== undefined) {
    // In ASCII: a long s and a Kelvin sign look like the letters that they are not.
    const [given, meant] = [encode(name), quote(known)];
    throw new ParamFault(`json: field ${given} differs from ${meant} in case alone`);
  }
  if (passed > MAX_PASSED_FIELDS) {
    throw new ParamFault(`json: more than ${MAX_PASSED_FIELDS} unknown fields`);
  }
}

function membersBefore(name: string, object: JsonObject): JsonObject {
  const members: JsonObject = new Map();
  for (const [each, value] of object) {
    if (each === name) break;
    members.set(each, value);
  }
  return members;
}

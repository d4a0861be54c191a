import { type JsonObject, type JsonValue, kindOf } from "../../jsonrpc/value.ts";
import { cannotUnmarshal, type Target } from "./decode.ts";
import { ParamFault, quote } from "./param-fault.ts";

export type FieldCheck = (value: JsonValue) => JsonValue;

/** The fields that an object may have, with their places in the canonical order. */
type Fields = {
  /** Their names, for the texts of `want`. */
  readonly known: string;
  readonly checks: ReadonlyMap<string, { readonly check: FieldCheck; readonly rank: number }>;
};

/** Freezes a table of fields; its order is the order in which they are sent. */
export function fieldTable(table: Readonly<Record<string, FieldCheck>>): Fields {
  const entries = Object.entries(table);
  return Object.freeze({
    known: entries.map(([name]) => name).join(", "),
    checks: new Map(entries.map(([name, check], rank) => [name, { check, rank }])),
  });
}

/**
 * The object with each field checked, in the table's order, so that equal calls read the same. A
 * null field is absent. Unknown ones are faults (`want` names the known), or left out: `ignore`.
 */
export function checkFields(
  object: JsonObject,
  { checks }: Fields,
  unknown: "refuse" | "ignore" = "refuse",
): JsonObject {
  // The object itself while nothing of it is otherwise: that one knows its text.
  let checked: JsonObject = object;
  let last = -1;
  let ordered = true;
  for (const [name, value] of object) {
    const field = checks.get(name);
    if (field === undefined && unknown === "refuse") {
      throw new ParamFault(`json: unknown field ${quote(name)}`);
    }
    const canonical = field === undefined || value === null ? undefined : field.check(value);
    if (canonical !== value && checked === object) checked = membersBefore(name, object);
    if (field === undefined || canonical === undefined) continue;
    if (checked !== object) checked.set(name, canonical);
    if (field.rank < last) ordered = false;
    last = field.rank;
  }
  if (ordered) return checked;
  const rank = (name: string): number => checks.get(name)?.rank ?? 0;
  return new Map([...checked].sort(([a], [b]) => rank(a) - rank(b)));
}

/** The value as an object, or Go's fault for one of another kind. */
export function asObject(value: JsonValue, target: Target): JsonObject {
  if (!(value instanceof Map)) throw cannotUnmarshal(kindOf(value), target);
  return value;
}

function membersBefore(name: string, object: JsonObject): JsonObject {
  const members: JsonObject = new Map();
  for (const [each, value] of object) {
    if (each === name) break;
    members.set(each, value);
  }
  return members;
}

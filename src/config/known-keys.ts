import { nearest } from "../lib/nearest.ts";
import type { Path } from "./faults.ts";
import type { JsonSchema } from "./schema.ts";

/** The message for a key that its place does not have: the key that is meant, or all there are. */
export function unknownKeyMessage(schema: JsonSchema, root: unknown, path: Path): string {
  const place = schemaAt(schema, root, path.slice(0, -1));
  const unknown = String(path.at(-1));
  const other = place.others.find(({ schema }) => Object.hasOwn(schema?.properties ?? {}, unknown));
  if (other) return `is only for networks of family ${other.family}`;
  const known = Object.keys(place.schema?.properties ?? {});
  const near = nearest(unknown, known);
  const right =
    near === undefined ? `the keys here are ${known.join(", ")}` : `did you mean ${near}?`;
  return `is no key that is known here; ${right}`;
}

type Place = {
  readonly schema: JsonSchema | undefined;
  /** The same place in networks of the other families. */
  readonly others: readonly { readonly family: unknown; readonly schema: JsonSchema | undefined }[];
};

/** Where a schema has several shapes: the one of the value's family, and the others beside it. */
function schemaAt(schema: JsonSchema, root: unknown, path: Path): Place {
  let place: Place = { schema, others: [] };
  let value = root;
  for (const step of path) {
    const next = below(place.schema, step);
    value = member(value, step);
    const family = member(value, "family");
    const shapes = next?.oneOf ?? [];
    const own = shapes.find((shape) => familyOf(shape) === family);
    const others = shapes
      .filter((shape) => shape !== own)
      .map((shape) => ({ family: familyOf(shape), schema: shape }));
    const inherited = place.others.map((other) => ({
      ...other,
      schema: below(other.schema, step),
    }));
    place = { schema: own ?? next, others: shapes.length > 0 ? others : inherited };
  }
  return place;
}

function below(schema: JsonSchema | undefined, step: string | number): JsonSchema | undefined {
  const { properties = {}, items, additionalProperties } = schema ?? {};
  const open = typeof additionalProperties === "object" ? additionalProperties : undefined;
  if (typeof step === "number") return items;
  return (member(properties, step) as JsonSchema | undefined) ?? open;
}

function familyOf({ properties }: JsonSchema): unknown {
  return properties?.["family"]?.const;
}

/** The member of a value of the file, undefined where there is none. */
export function member(value: unknown, step: string | number): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
  return (value as Record<string | number, unknown>)[step];
}

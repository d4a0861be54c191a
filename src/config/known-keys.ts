import type { Path } from "./faults.ts";
import type { JsonSchema } from "./schema.ts";

/** What to say of a key that its place does not have: the key that is meant, or all there are. */
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

/** Of several shapes, the one of the value's family; the others are what else it could have been. */
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

const plain = (word: string): string => word.toLowerCase().replace(/[^a-z0-9]/g, "");

/** The word that was meant: at most two letters off, and at most half of the word. */
function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, edits: distance(plain(word), plain(candidate)) }))
    .sort((a, b) => a.edits - b.edits);
  const [best] = ranked;
  return best && best.edits <= Math.min(2, best.candidate.length / 2) ? best.candidate : undefined;
}

/** Levenshtein's distance, given up where the lengths alone differ too much. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

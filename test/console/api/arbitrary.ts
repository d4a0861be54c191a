import fc from "fast-check";
import type { JsonSchema } from "./openapi-document.ts";

/** Texts that mean something to somebody on the way: to SQL, HTML, a header, a path, a spreadsheet. */
export const NASTY = [
  "",
  " ",
  "' OR '1'='1",
  "'; DROP TABLE accounts; --",
  "%' OR 1=1 --",
  "%_\\",
  '"><script>alert(1)</script>',
  "<img src=x onerror=alert(1)>",
  "javascript:alert(1)",
  '=HYPERLINK("http://x")',
  "+1+1|cmd",
  "@SUM(A1)",
  "-1",
  "\r\nSet-Cookie: a=b",
  "../../etc/passwd",
  "__proto__",
  "constructor",
  "toString",
  "\u0000",
  "\ud800",
  "\u202e",
  "😀".repeat(30),
  "x".repeat(3000),
] as const;

const anyText = fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: "binary", maxLength: 40 }));

/** Values that a schema takes. */
export function arbitraryOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(arbitraryOf));
  switch (schema.type) {
    case "object":
      return objectOf(schema);
    case "array":
      return fc.array(arbitraryOf(schema.items ?? {}), {
        maxLength: Math.min(schema.maxItems ?? 5, 5),
      });
    case "string":
      return textOf(schema);
    case "integer":
      return fc.oneof(
        fc.integer({ min: schema.minimum ?? -100, max: Math.min(schema.maximum ?? 100, 1000) }),
        fc.constantFrom(schema.minimum ?? 0, schema.maximum ?? Number.MAX_SAFE_INTEGER),
      );
    case "number":
      return fc.double({ noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return fc.jsonValue({ maxDepth: 3 });
  }
}

/** The same, and values that it does not take: other types, missing and unknown members, long texts. */
export function nearly(schema: JsonSchema): fc.Arbitrary<unknown> {
  const wrong = fc.oneof(anyText, fc.jsonValue({ maxDepth: 2 }));
  const { properties } = schema;
  if (properties === undefined)
    return fc.oneof({ weight: 3, arbitrary: arbitraryOf(schema) }, wrong);
  const parts = Object.entries(properties).map(([name, part]) => [name, nearly(part)]);
  const object = fc.record(Object.fromEntries(parts), { requiredKeys: [] });
  const extended = fc.tuple(object, fc.dictionary(anyText, wrong, { maxKeys: 2 }));
  return fc.oneof(
    { weight: 6, arbitrary: arbitraryOf(schema) },
    // Each member more is one more that can be wrong: some requests have to be right.
    { weight: 4, arbitrary: objectOf({ ...schema, properties: requiredOf(schema) }) },
    { weight: 3, arbitrary: object },
    { weight: 1, arbitrary: extended.map(([one, more]) => ({ ...one, ...more })) },
    { weight: 1, arbitrary: wrong },
  );
}

function requiredOf({
  properties = {},
  required = [],
}: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => required.includes(name)));
}

function objectOf({ properties = {}, required = [], ...rest }: JsonSchema): fc.Arbitrary<unknown> {
  const parts = Object.entries(properties).map(([name, part]) => [name, arbitraryOf(part)]);
  if (parts.length === 0 && typeof rest.additionalProperties === "object") {
    return fc.dictionary(anyText, arbitraryOf(rest.additionalProperties), { maxKeys: 3 });
  }
  return fc.record(Object.fromEntries(parts), { requiredKeys: [...required] as never[] });
}

function textOf({
  minLength = 0,
  maxLength = 100,
  format,
  examples = [],
}: JsonSchema): fc.Arbitrary<string> {
  if (format === "date" || format === "date-time") {
    const min = new Date(format === "date" ? "2020-01-01" : "2025-01-01");
    const times = fc.date({ min, max: new Date("2040-01-01"), noInvalidDate: true });
    return times.map((time) => time.toISOString().slice(0, format === "date" ? 10 : undefined));
  }
  const [example] = examples;
  // Each is another one: what exists already is refused.
  if (example?.includes("@")) return fc.nat().map((number) => `p${number}-${example}`);
  const fitting = anyText.filter(({ length }) => length >= minLength && length <= maxLength);
  const useful = fc.constantFrom(
    "ada@example.com",
    "mainnet",
    "free",
    "eth_call",
    "24h",
    "1.2.3.4",
  );
  const short = fc.string({ unit: "binary", minLength, maxLength: Math.min(maxLength, 40) });
  const right = example === undefined ? useful : fc.constant(example);
  return fc.oneof({ weight: 2, arbitrary: right }, short, fitting);
}

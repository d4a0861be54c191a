import { readFileSync } from "node:fs";
import { ownFile } from "../lib/own-files.ts";
import { configJsonSchema, type JsonSchema } from "./schema.ts";

/** A row of a table of docs/configuration.md. */
type Row = { readonly fallback: string; readonly meaning: string };

/** Told by the end of a key's name; other units stand in the row. */
const UNITS: readonly (readonly [end: RegExp, unit: string])[] = [
  [/Ms$/, "milliseconds"],
  [/Bytes$/, "bytes"],
  [/^usage\.keep\./, "a duration, such as 15m, 24h or 2d"],
];
const FAMILY = /^_(evm|slot)_ /;
const ROW = /^\| `(?<key>[^`]+)` \| (?<fallback>.*?) \| (?<meaning>.*) \|$/gm;
const HEADING = /^## (?<key>\w+): (?<text>.*)$/gm;

/**
 * The JSON Schema of the configuration, with a description of each key: what docs/configuration.md says of it, its unit,
 * and its default where that is no plain value.
 */
export function describedSchema(): JsonSchema {
  const page = readFileSync(ownFile("../docs/configuration.md"), "utf8");
  const rows = new Map<string, Row>();
  for (const { groups: { key = "", fallback = "", meaning = "" } = {} } of page.matchAll(ROW)) {
    rows.set(key, { fallback, meaning });
  }
  const headings = new Map<string, string>();
  for (const { groups: { key = "", text = "" } = {} } of page.matchAll(HEADING)) {
    headings.set(key, `${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
  }
  return described(configJsonSchema(), "", (path, schema) => {
    const row = rows.get(path);
    return row === undefined ? (headings.get(path) ?? membersOf(schema)) : textOf(path, row);
  });
}

type Describe = (path: string, schema: JsonSchema) => string;

function described(schema: JsonSchema, path: string, describe: Describe): JsonSchema {
  const { properties, items, oneOf, additionalProperties: rest } = schema;
  const inner = (each: JsonSchema, at: string) => described(each, at, describe);
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => {
          const at = path === "" ? name : `${path}.${name}`;
          return [name, { description: describe(at, each), ...inner(each, at) }];
        }),
      ),
    }),
    ...(items && { items: inner(items, `${path}[]`) }),
    ...(oneOf && { oneOf: oneOf.map((each) => inner(each, path)) }),
    ...(typeof rest === "object" && { additionalProperties: inner(rest, `${path}.<name>`) }),
  };
}

/** In plain text: editors show it as it is. */
function textOf(path: string, { fallback, meaning }: Row): string {
  const [, family] = FAMILY.exec(meaning) ?? [];
  const unit = UNITS.find(([end]) => end.test(path))?.[1];
  return [
    plain(meaning.replace(FAMILY, "")),
    ...(family === undefined ? [] : [`Only for networks of family ${family}.`]),
    ...(unit === undefined ? [] : [`Unit: ${unit}.`]),
    fallback.startsWith("required") ? "Required." : `Default: ${plain(fallback)}.`,
  ].join(" ");
}

/** Without the marks of Markdown. */
const plain = (markdown: string): string =>
  markdown.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1").replace(/`([^`]*)`|_(\w+)_/g, "$1$2");

function membersOf({ properties = {}, items, oneOf }: JsonSchema): string {
  const inner = Object.keys(items?.properties ?? oneOf?.[0]?.properties ?? properties);
  return `Holds ${inner.join(", ")}.`;
}

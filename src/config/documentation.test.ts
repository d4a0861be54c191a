import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { temporaryFolder } from "../../test/support/written.ts";
import { runSchema } from "../commands/schema.ts";
import { describedSchema } from "./described-schema.ts";
import { loadConfig } from "./load.ts";
import { BUILT_IN_PLANS } from "./plans.ts";
import { configJsonSchema } from "./schema.ts";

const folder = temporaryFolder("example");

const root = join(import.meta.dirname, "../..");
const docs = readFileSync(join(root, "docs/configuration.md"), "utf8");
const example = readFileSync(join(root, "examples/tollgate.yaml"), "utf8");

type Schema = {
  default?: unknown;
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  additionalProperties?: Schema | boolean;
};

/** Each key that holds a value, as the documentation writes it, with its default. */
function keysOf(schema: Schema, path = ""): [string, unknown][] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
    keysOf(each, path === "" ? name : `${path}.${name}`),
  );
  const { items, oneOf = [], additionalProperties: rest } = schema;
  if (items?.oneOf ?? items?.properties) inner.push(...keysOf(items ?? {}, `${path}[]`));
  for (const each of oneOf) inner.push(...keysOf(each, path));
  if (typeof rest === "object" && rest.properties) inner.push(...keysOf(rest, `${path}.<name>`));
  return inner.length > 0 ? inner : [[path, schema.default]];
}

const keys = [...new Map(keysOf(configJsonSchema() as Schema))];

test("each key of the schema has a row in the documentation, with its default", () => {
  expect(keys.length).toBeGreaterThan(55);
  for (const [key, fallback] of keys) {
    const [, , value = ""] =
      docs
        .match(new RegExp(`^\\| \`${key.replace(/[.[\]]/g, "\\$&")}\` .*$`, "m"))?.[0]
        .split("|") ?? [];
    expect(value, key).not.toBe("");
    // A test run may have another wire than the program.
    if (fallback === undefined || fallback === "node") continue;
    const written = typeof fallback === "string" ? fallback : JSON.stringify(fallback);
    expect(value, key).toContain(`\`${written}\``);
  }
});

test("each row of the documentation is a key of the schema", () => {
  const known = [
    ...keys.map(([key]) => key),
    "networks[].upstreams",
    ...Object.keys(BUILT_IN_PLANS),
  ];
  const rows = [...docs.matchAll(/^\| `([^`]+)`/gm)].map(([, key]) => key);
  expect(rows.toSorted()).toEqual(known.toSorted());
});

test("the built-in plans stand in the documentation with their figures", () => {
  for (const [name, plan] of Object.entries(BUILT_IN_PLANS)) {
    const cells =
      docs
        .match(new RegExp(`^\\| \`${name}\` .*$`, "m"))?.[0]
        .replaceAll(",", "")
        .split("|") ?? [];
    expect(cells[2]).toMatch(new RegExp(`^ ${plan.dailyCredits}\\b`));
    expect(cells[3]).toMatch(new RegExp(`^ ${plan.creditsPerSecond}\\b`));
    expect(cells[4]).toBe(plan.failover ? " yes " : " no ");
    expect(cells[5]).toBe("maxKeys" in plan ? ` ${plan.maxKeys} ` : " any number ");
  }
});

test("the documentation's whole example is examples/tollgate.yaml, which names every key", () => {
  expect(docs).toContain(`\`\`\`yaml\n${example}\`\`\``);
  const named = new Set(keysIn(parse(example)));
  for (const [key] of keys) expect(named).toContain(key.replace("<name>", "free"));
});

test("the example loads once its files and variables are there, and says so where they are not", async () => {
  cpSync(join(root, "examples/tollgate.yaml"), join(folder, "tollgate.yaml"));
  const names = [
    "ADMIN_TOKEN",
    "CONSOLE_SECRET",
    "SMTP_PASSWORD",
    "PEPPER",
    "NODE_TOKEN",
    "PARTNER_KEY",
  ];
  const failure = await loadConfig(join(folder, "tollgate.yaml"), {}).catch(String);
  for (const word of [...names, "server.tls.cert", "server.tls.key"])
    expect(failure).toContain(word);
  for (const file of ["cert.pem", "key.pem", "ca.pem"]) writeFileSync(join(folder, file), "");
  const environment = Object.fromEntries(
    names.map((name) => [name, `${name}-value-of-the-environment`]),
  );
  const config = await loadConfig(join(folder, "tollgate.yaml"), environment);
  expect(config.server.tls?.cert).toBe(join(folder, "cert.pem"));
  expect(config.networks[0]?.upstreams[0]?.headers).toEqual({
    Authorization: "Bearer NODE_TOKEN-value-of-the-environment",
  });
  expect(config.networks[1]?.upstreams[0]?.url).toBe(`file:${join(folder, "ledger")}`);
});

test("the schema command prints one JSON Schema in which a variable may stand for a number", () => {
  const lines: string[] = [];
  expect(runSchema((line) => lines.push(line))).toBe(0);
  const schema = JSON.parse(lines.join("\n"));
  expect(schema.$schema).toMatch(/json-schema/);
  expect(schema.required).toEqual(["networks"]);
  expect(schema.additionalProperties).toBe(false);
  expect(schema.properties.server.properties.port).toEqual({
    description: "0 takes a free port, which is printed. Default: 8545.",
    default: 8545,
    anyOf: [
      { type: "integer", minimum: 0, maximum: 65_535 },
      { type: "string", pattern: "\\$\\{" },
    ],
  });
});

/** Each key of a schema with its description; the same key of several families once for each. */
function descriptionsIn(schema: Schema & { description?: string }, path = ""): [string, string][] {
  const { properties = {}, items, oneOf = [], additionalProperties: rest } = schema;
  return [
    ...Object.entries(properties).flatMap(([name, each]) => {
      const at = path === "" ? name : `${path}.${name}`;
      const { description = "" } = each as { description?: string };
      return [[at, description] as [string, string], ...descriptionsIn(each, at)];
    }),
    ...(items ? descriptionsIn(items, `${path}[]`) : []),
    ...oneOf.flatMap((each) => descriptionsIn(each, path)),
    ...(typeof rest === "object" ? descriptionsIn(rest, `${path}.<name>`) : []),
  ];
}

test("each key of the printed schema has a description in plain text, with its unit and default", () => {
  const descriptions = new Map(descriptionsIn(describedSchema() as Schema));
  expect(descriptions.size).toBeGreaterThan(keys.length);
  for (const [key, text] of descriptions) {
    expect(text, key).toMatch(/^[A-Z0-9a-z][^|`]{4,}\.$/);
    expect(text, key).not.toMatch(/\]\(|_evm_|_slot_/);
  }
  for (const [key] of keys)
    expect(descriptions.get(key), key).toMatch(/(?:Default: .+|Required)\.$/);
  expect(descriptions.get("server")).toBe("Where clients call.");
  expect(descriptions.get("server.tls")).toBe("Holds cert, key.");
  expect(descriptions.get("server.keepAliveMs")).toMatch(/Unit: milliseconds\. Default: 65000\.$/);
  expect(descriptions.get("cache.disk.maxBytes")).toMatch(/Unit: bytes\./);
  expect(descriptions.get("usage.keep.days")).toMatch(
    /Unit: a duration, such as .* Default: 2y\.$/,
  );
  expect(descriptions.get("networks[].genesisHash")).toMatch(
    /Only for networks of family slot\. Default: learnt from the nodes\.$/,
  );
});

/** The paths of all values of a file, as the documentation writes them. */
function keysIn(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return [path, ...value.flatMap((item) => keysIn(item, `${path}[]`))];
  if (typeof value !== "object" || value === null) return [path];
  return [
    path,
    ...Object.entries(value).flatMap(([name, inner]) =>
      keysIn(inner, path === "" ? name : `${path}.${name}`),
    ),
  ];
}

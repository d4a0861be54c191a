import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";

/** What needs Helm itself stands in helm.long.ts. */
const CHART = "deploy/helm/tollgate";
type Schema = { readonly properties?: Readonly<Record<string, Schema>> };

const valuesOf = (file: string) => parse(readFileSync(`${CHART}/${file}`, "utf8"));

test("the chart has the package's version", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(valuesOf("Chart.yaml")).toMatchObject({ version, appVersion: version });
});

/** Paths of the values that `schema` has no name for. */
function* unnamed(values: unknown, { properties }: Schema, path = ""): Generator<string> {
  if (properties === undefined || typeof values !== "object" || values === null) return;
  for (const [name, value] of Object.entries(values)) {
    const next = properties[name];
    if (next === undefined) yield `${path}${name}`;
    else yield* unnamed(value, next, `${path}${name}.`);
  }
}

test.each(["values.yaml", "ci/sqlite-values.yaml", "ci/postgres-values.yaml"])(
  "%s has no value that the chart does not know",
  (file) => {
    const schema = JSON.parse(readFileSync(`${CHART}/values.schema.json`, "utf8")) as Schema;
    const { config: _, ...properties } = schema.properties ?? {};
    const { config: _config, ...values } = valuesOf(file);
    expect([...unnamed(values, { properties })]).toEqual([]);
    if (file === "values.yaml") {
      const names = Object.keys(properties).filter((name) => name !== "global");
      expect(Object.keys(values).toSorted()).toEqual(names.toSorted());
    }
  },
);

import { expect, test } from "vitest";
import { errorsDocument } from "../../scripts/errors-doc.ts";
import { ERRORS } from "../../src/jsonrpc/errors.ts";
import { EVM_METHODS } from "../../src/methods/registry.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";
import { read } from "./blocks.ts";

test("docs/errors.md is what scripts/errors-doc.ts makes of the tables", () => {
  expect(read("docs/errors.md"), "run: node scripts/errors-doc.ts").toBe(errorsDocument());
});

test("docs/life-of-a-call.md names the stages of the pipeline in their order", () => {
  const list =
    /const STAGES[^=]*= \[\n(.*?)\n\];/s.exec(read("src/gateway/pipeline.ts"))?.[1] ?? "";
  const stages = [...list.matchAll(/^ *(\w+), \/\/ +(\d+) /gm)].map(([, name, number]) => ({
    name,
    number: Number(number),
  }));
  expect(stages.length).toBe(list.split("\n").length);
  const rows = [...read("docs/life-of-a-call.md").matchAll(/^\| (\d+)\. [\w ]+ \| `(\w+)`/gm)];
  expect(rows.map(([, number]) => Number(number))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  const told = rows.map(([, number, name]) => ({ name, number: Number(number) }));
  const [first, last] = [stages[0]?.number ?? 0, stages.at(-1)?.number ?? 0];
  expect(told.filter(({ number }) => number >= first && number <= last)).toEqual(stages);
  const paragraphs = [...read("docs/life-of-a-call.md").matchAll(/^\*\*(\d+)\. /gm)];
  expect(paragraphs.map(([, number]) => number)).toEqual(rows.map(([, number]) => number));
});

test("docs/life-of-a-call.md names errors that exist", () => {
  const answers = [...read("docs/life-of-a-call.md").matchAll(/^\| \d.*\| ([^|]*) \|$/gm)];
  const named = answers.flatMap(([, cell = ""]) => [...cell.matchAll(/`(\w+)`/g)]);
  expect(named.length).toBeGreaterThan(8);
  for (const [, name] of named) expect(Object.keys(ERRORS)).toContain(name);
});

test("the README's table holds each method once, at its price, and says how many there are", () => {
  const rows = [...read("README.md").matchAll(/^\| (\d+) \| (`.*) \|$/gm)];
  const told = rows.flatMap(([, credits, methods = ""]) =>
    [...methods.matchAll(/`(\w+)`/g)].map(([, method]) => `${method} ${credits}`),
  );
  const defined = EVM_METHODS.map(({ method, credits }) => `${method} ${credits}`);
  expect(told.toSorted()).toEqual(defined.toSorted());
  for (const page of ["README.md", "CHANGELOG.md"]) {
    expect(read(page)).toMatch(
      new RegExp(`\\b${EVM_METHODS.length} (methods|reads) of EVM networks`),
    );
  }
});

test("docs/operations.md holds each metric with its labels", async () => {
  const metrics = await new Metrics().registry.getMetricsAsJSON();
  const own = metrics.map(({ name }) => name).filter((name) => name.startsWith("tollgate_"));
  const rows = read("docs/operations.md").match(/^\| `tollgate_.*$/gm) ?? [];
  const told = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)]);
  expect(told.map(([, name]) => name).toSorted()).toEqual(own.toSorted());
});

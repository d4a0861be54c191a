import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { errorsDocument } from "../../scripts/errors-doc.ts";
import { BlockFiles } from "../../src/block-files/block-files.ts";
import { BlockFilesMethods } from "../../src/block-files/block-files-methods.ts";
import { toClientError } from "../../src/failures/client-error.ts";
import { classify } from "../../src/failures/failures.ts";
import { ERRORS } from "../../src/jsonrpc/errors.ts";
import type { Definition } from "../../src/methods/definition.ts";
import { EVM_GROUP_METHODS, EVM_METHODS, SLOT_METHODS } from "../../src/methods/registry.ts";
import { blockConfig } from "../../src/methods/slot/params/block-config.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";
import { read } from "./blocks.ts";

test("docs/errors.md is what scripts/errors-doc.ts makes of the tables", () => {
  expect(read("docs/errors.md"), "run: npm run errors-doc").toBe(errorsDocument());
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

test("each decision that code or tests name is a heading of docs/decisions.md", () => {
  const headings = new Set(
    [...read("docs/decisions.md").matchAll(/^## (.+)$/gm)].map(([, one]) => one),
  );
  const files = globSync("{src,test,bench,scripts}/**/*.ts", { exclude: ["test/outside/**"] });
  const named = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/docs\/decisions\.md, "([\w ]+)"/g)].map(
      ([, heading]) => `${file}: ${heading}`,
    ),
  );
  expect(named.length).toBeGreaterThan(10);
  for (const one of named) expect(headings, one).toContain(one.slice(one.indexOf(": ") + 2));
});

test("docs/life-of-a-call.md names errors that exist", () => {
  const answers = [...read("docs/life-of-a-call.md").matchAll(/^\| \d.*\| ([^|]*) \|$/gm)];
  const named = answers.flatMap(([, cell = ""]) => [...cell.matchAll(/`(\w+)`/g)]);
  expect(named.length).toBeGreaterThan(8);
  for (const [, name] of named) expect(Object.keys(ERRORS)).toContain(name);
});

test("the README's tables hold each method once, at its price, and say how many there are", () => {
  const rows = [...read("README.md").matchAll(/^\| (\d+) \| (`.*) \|$/gm)];
  const told = rows.flatMap(([, credits, methods = ""]) =>
    namesIn(methods).map((method) => `${method} ${credits}`),
  );
  const defined = [...EVM_METHODS, ...SLOT_METHODS].map(
    ({ method, credits }) => `${method} ${credits}`,
  );
  expect(told.toSorted()).toEqual(defined.toSorted());
  const ofGroups = [...read("README.md").matchAll(/^\| `(\w+)` \| (\d+) \| (`.*) \|$/gm)];
  const toldOfGroups = ofGroups.flatMap(([, group, credits, methods = ""]) =>
    namesIn(methods).map((method) => `${group} ${method} ${credits}`),
  );
  const definedOfGroups = EVM_GROUP_METHODS.map(
    ({ group, method, credits }) => `${group} ${method} ${credits}`,
  );
  expect(toldOfGroups.toSorted()).toEqual(definedOfGroups.toSorted());
  for (const page of ["README.md", "CHANGELOG.md"]) {
    expect(read(page)).toMatch(said(EVM_METHODS, "EVM"));
    expect(read(page)).toMatch(said(SLOT_METHODS, "slot"));
  }
});

const said = ({ length }: readonly Definition[], family: string): RegExp =>
  new RegExp(`\\b${length} (methods|reads) of ${family} networks`);

/** What stands in backquotes. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);

describe("docs/slot-networks.md", () => {
  const page = read("docs/slot-networks.md");
  const section = (title: string): string =>
    page.split(/^##+ /m).find((each) => each.startsWith(`${title}\n`)) ?? "";
  const rowsOf = (title: string): string[][] =>
    (section(title).match(/^\| .*\|$/gm) ?? [])
      .slice(2)
      .map((row) => row.split("|").map((cell) => cell.trim()));

  test("holds every method but getBlock, its params and the keys of its config", () => {
    const told = rowsOf("The other reads").map(([, method = "", params = "", config = ""]) => ({
      method: namesIn(method)[0],
      params: params === "" ? [] : params.split(", "),
      keys: namesIn(config),
    }));
    const others = SLOT_METHODS.filter(({ method }) => method !== "getBlock");
    const defined = others.map(({ method, params }) => ({
      method,
      params: params.map(({ name, required }) => (required === true ? name : `${name}?`)),
      keys: keysOf(params.find(({ name }) => name === "config")?.want ?? ""),
    }));
    expect(told).toEqual(defined.toSorted(byName));
    expect(page).toContain(`serves ${SLOT_METHODS.length} reads`);
    expect(new Set(SLOT_METHODS.map(({ credits }) => credits))).toEqual(new Set([160]));
    expect(section("The other reads")).toContain("costs 160 credits");
  });

  test("holds each key of getBlock's config, and a section for it", () => {
    const told = rowsOf("getBlock").flatMap(([, key = ""]) => namesIn(key));
    expect(told.toSorted()).toEqual(keysOf(blockConfig.want).toSorted());
    for (const key of ["slot", ...told]) expect(section(key), key).toContain("```json");
  });

  test("says of each error of a node what the client gets, and whether it is charged", () => {
    const rows = rowsOf("Null or an error");
    expect(rows.length).toBeGreaterThan(10);
    for (const [, code, words = "", , answer = "", charged] of rows) {
      const message = words.slice(1, -1).replaceAll(/\bN\b/g, "7");
      const failure = classify({ status: 200, error: { code: Number(code), message } });
      const error = toClientError(failure, { method: "getBlock", lookup: "block" });
      expect(error?.name ?? "null", words).toBe(answer.replaceAll("`", ""));
      const isCharged = error === null || ERRORS[error.name].charged;
      expect(isCharged ? "yes" : "no", words).toBe(charged);
    }
  });

  test("names the methods that a ledger of files serves", async () => {
    const files = new BlockFiles("src/dev/sample-ledger", { now: () => 0 });
    const ledger = new BlockFilesMethods(files, { pause: async () => undefined });
    const served: string[] = [];
    for (const { method } of SLOT_METHODS) {
      const answer = ledger.call(method, "[]").then(
        () => "a result",
        (error: unknown) => String(error),
      );
      if (!(await answer).includes("Method not found")) served.push(method);
    }
    const told = /^It serves (.*?), in the words/ms.exec(section("A ledger of files"))?.[1] ?? "";
    expect(namesIn(told).toSorted()).toEqual(served.toSorted());
  });
});

/** As people sort them. */
const byName = (one: { readonly method: string }, other: { readonly method: string }): number =>
  one.method.toLowerCase() < other.method.toLowerCase() ? -1 : 1;

/** `an object with any of the keys a, b` */
function keysOf(want: string): string[] {
  const [, keys = ""] = /any of the keys ([\w, ]*?)(?:, or the .*)?$/.exec(want) ?? [];
  return keys === "" ? [] : keys.split(", ");
}

test("docs/operations.md holds each metric with its labels", async () => {
  const metrics = await new Metrics().registry.getMetricsAsJSON();
  const own = metrics.map(({ name }) => name).filter((name) => name.startsWith("tollgate_"));
  const rows = read("docs/operations.md").match(/^\| `tollgate_.*$/gm) ?? [];
  const told = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)]);
  expect(told.map(([, name]) => name).toSorted()).toEqual(own.toSorted());
});

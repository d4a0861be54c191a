import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundle } from "./bundle.ts";
import { readCorpus } from "./corpus.ts";
import { fuzz } from "./fuzz.ts";
import { MUTATIONS } from "./mutations.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tollgate-fuzz-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LIMITS = { seed: 1, executions: 50_000, seconds: 60 };

test("a fuzzer runs on without a fault, and reaches what its corpus does not", async () => {
  const found = await fuzz(await bundle("plain-head", folder), readCorpus("plain-head"), LIMITS);
  expect(found.fault).toBeUndefined();
  expect(found.executions).toBeGreaterThanOrEqual(LIMITS.executions);
  const nothing = await fuzz(await bundle("plain-head", folder), [], { ...LIMITS, executions: 0 });
  expect(found.features).toBeGreaterThan(nothing.features);
});

test("a fuzzer finds a fault in the code, and a short input that shows it", async () => {
  const [mutation] = MUTATIONS;
  if (mutation === undefined) throw new Error("there is no fault to look for");
  const file = await bundle(mutation.fuzzer, folder, mutation);
  const { fault } = await fuzz(file, readCorpus(mutation.fuzzer), LIMITS);
  expect(fault?.message).toBe("whether it is a head: false where true is right");
  expect(fault?.input.length).toBeLessThan(100);
});

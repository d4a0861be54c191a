import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundle, FUZZERS } from "./bundle.ts";
import { asLine, readCorpus } from "./corpus.ts";
import { type Found, fuzz } from "./fuzz.ts";
import { MUTATIONS } from "./mutations.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tollgate-fuzz-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const executions = Number.POSITIVE_INFINITY;
const faultOf = ({ fault }: Found): string | undefined =>
  fault && `${fault.message} at ${asLine(Buffer.from(fault.input))}`;

test.each(FUZZERS)("%s finds no fault in 60 s", async (fuzzer) => {
  const file = await bundle(fuzzer, folder);
  const found = await fuzz(file, readCorpus(fuzzer), { seed: Date.now(), executions, seconds: 60 });
  expect(faultOf(found)).toBeUndefined();
});

describe("within 60 s it is found that", () => {
  test.each(MUTATIONS)("$name", async (mutation) => {
    const file = await bundle(mutation.fuzzer, folder, mutation);
    const limits = { seed: 1, executions, seconds: 60 };
    expect(faultOf(await fuzz(file, readCorpus(mutation.fuzzer), limits))).toBeDefined();
  });
});

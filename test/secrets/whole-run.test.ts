import process from "node:process";
import { expect, test } from "vitest";
import { runFolder } from "../support/written.ts";
import { searchRun, wanted } from "./search.ts";

test("nothing that the whole run wrote holds a key or an upstream's secret in clear", () => {
  const began = performance.now();
  const { files, bytes, kinds, keys, findings } = searchRun(runFolder());
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  process.stdout.write(
    `searched for ${keys} keys and the upstreams' secrets: ${files} files, ` +
      `${(bytes / 1e6).toFixed(1)} MB, in ${seconds} s\n`,
  );
  expect(findings.slice(0, 20)).toEqual([]);
  // With too little to search this would say nothing: it is for a run with the other tests.
  expect([...kinds].toSorted()).toEqual(wanted().toSorted());
  expect(keys).toBeGreaterThan(0);
});

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { summarize } from "../../scripts/ci-report.ts";
import { temporaryFolder } from "../support/written.ts";

const folder = temporaryFolder("report");

const script = join(import.meta.dirname, "../../scripts/ci-report.ts");
const report = (over: Partial<Parameters<typeof summarize>[0]> = {}) => ({
  success: true,
  numPassedTests: 3,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [{ status: "passed", assertionResults: [{ status: "passed" }] }],
  ...over,
});

test("passed and failed tests are counted, skipped ones named only where there are some", () => {
  expect(summarize(report())).toEqual({ line: "3 passed, 0 failed", passed: true });
  const some = report({ success: false, numFailedTests: 2, numPendingTests: 1, numTodoTests: 1 });
  expect(summarize(some)).toEqual({ line: "3 passed, 2 failed, 2 skipped", passed: false });
});

test("a file that does not load, an error outside of tests, and no tests at all are no success", () => {
  const broken = { testResults: [{ status: "failed", assertionResults: [] }] };
  expect(summarize(report(broken))).toEqual({ line: "3 passed, 1 failed", passed: false });
  expect(summarize(report({ success: false })).passed).toBe(false);
  expect(summarize(report({ numPassedTests: 0 })).passed).toBe(false);
});

test("the counts are the last line, and the exit code tells of a failure or a missing report", () => {
  const run = (file: string) => {
    const { stdout, status } = spawnSync(process.execPath, [script, join(folder, file)]);
    return { last: String(stdout).trimEnd().split("\n").at(-1), status };
  };
  writeFileSync(join(folder, "good.json"), JSON.stringify(report()));
  writeFileSync(join(folder, "bad.json"), JSON.stringify(report({ numFailedTests: 1 })));
  expect(run("good.json")).toEqual({ last: "3 passed, 0 failed", status: 0 });
  expect(run("bad.json")).toEqual({ last: "3 passed, 1 failed", status: 1 });
  expect(run("none.json")).toEqual({ last: "0 passed, 0 failed", status: 1 });
});

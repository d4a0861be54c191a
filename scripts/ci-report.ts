/**
 * What vitest's JSON report says, as one line: `node scripts/ci-report.ts FILE` prints
 * `N passed, N failed` (and `, N skipped` where some were). Exit code 1 on any failure, and where
 * the report is missing or holds no tests.
 */
import { readFileSync } from "node:fs";

type Report = {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
};

export type Summary = { readonly line: string; readonly passed: boolean };

/** Counts tests; a file that failed without a failed test (it did not load) counts as one. */
export function summarize(report: Report): Summary {
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  );
  const failed = report.numFailedTests + broken.length;
  const skipped = report.numPendingTests + report.numTodoTests;
  const counts = `${report.numPassedTests} passed, ${failed} failed`;
  return {
    line: skipped > 0 ? `${counts}, ${skipped} skipped` : counts,
    passed: report.success && failed === 0 && report.numPassedTests > 0,
  };
}

if (import.meta.main) {
  const [, , file = ""] = process.argv;
  let summary: Summary;
  try {
    summary = summarize(JSON.parse(readFileSync(file, "utf8")) as Report);
  } catch (error) {
    process.stdout.write(`there is no report of the tests: ${String(error)}\n`);
    summary = { line: "0 passed, 0 failed", passed: false };
  }
  process.stdout.write(`${summary.line}\n`);
  process.exitCode = summary.passed ? 0 : 1;
}

import { expect, test } from "vitest";
import type { UsageRow } from "../../../../src/console/contract/usage.ts";
import { choose, failedShare, nextSort, outcomesOf, sortRows } from "./usage-choices.ts";

function row(changes: Partial<UsageRow>): UsageRow {
  return {
    ...{ network: "dev", method: "eth_call", calls: 1, ok: 1, reverted: 0, failed: 0 },
    ...{ credits: 80, bytes: 10, latencyMs: 1, outcomes: { ok: 1 } },
    ...{ p50: 1, p95: 1, p99: 1 },
    ...changes,
  };
}

const rows = [
  row({ method: "eth_call", calls: 1000, failed: 10 }),
  row({ method: "eth_getLogs", calls: 4, failed: 2 }),
  row({ method: "eth_chainId", calls: 0, failed: 0 }),
];

const methods = (sorted: readonly UsageRow[]) => sorted.map(({ method }) => method);

test("rows are sorted by name or number, failures by their share", () => {
  expect(methods(sortRows(rows, { key: "method", descending: false }))).toEqual([
    ...["eth_call", "eth_chainId", "eth_getLogs"],
  ]);
  expect(methods(sortRows(rows, { key: "calls", descending: true }))).toEqual([
    ...["eth_call", "eth_getLogs", "eth_chainId"],
  ]);
  expect(methods(sortRows(rows, { key: "failed", descending: true }))).toEqual([
    ...["eth_getLogs", "eth_call", "eth_chainId"],
  ]);
});

test("a share of no calls is none", () => {
  expect(failedShare({ calls: 0, failed: 0 })).toBe(0);
});

test("a column chosen again turns round; another begins with its largest numbers", () => {
  const first = nextSort({ key: "calls", descending: true }, "calls");
  expect(first).toEqual({ key: "calls", descending: false });
  expect(nextSort(first, "credits")).toEqual({ key: "credits", descending: true });
  expect(nextSort(first, "method")).toEqual({ key: "method", descending: false });
  expect(nextSort(first, "nothing")).toEqual({ key: "calls", descending: true });
});

test("outcomes are summed over rows, most first", () => {
  const found = outcomesOf([
    row({ outcomes: { ok: 1, revert: 2 } }),
    row({ outcomes: { revert: 3, unavailable: 1 } }),
  ]);
  expect(found).toEqual([
    ["revert", 5],
    ["ok", 1],
    ["unavailable", 1],
  ]);
});

test("a value that is no choice is the first choice", () => {
  expect(choose(["1h", "24h"], "24h")).toBe("24h");
  expect(choose(["1h", "24h"], "<script>")).toBe("1h");
});

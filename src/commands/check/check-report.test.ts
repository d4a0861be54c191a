import { expect, test } from "vitest";
import { type CheckedNetwork, checkReport } from "./check-report.ts";
import type { Findings } from "./check-upstream.ts";

const ALL = { asked: 30, lacking: [], unanswered: [] };
const GOOD: Findings = {
  ...{ chain: 1, head: 100, client: "Geth/v1", methods: ALL, depth: 128, latencyMs: 1.26 },
};

function report(findings: readonly Findings[], network: Partial<CheckedNetwork> = {}) {
  const upstreams = findings.map((each, index) => ({
    name: `node-${index}`,
    role: "primary" as const,
    findings: each,
  }));
  const { text, results } = checkReport([{ name: "net", chain: undefined, upstreams, ...network }]);
  const [, ...lines] = text.split("\n").map((line) => line.replace(/ {2,}/g, "  "));
  return { lines, hasFault: results.some(({ ok }) => !ok) };
}

test("a lag is counted from the highest head of the network's own chain", () => {
  const { lines, hasFault } = report([
    GOOD,
    { ...GOOD, head: 103 },
    { ...GOOD, head: 900, chain: 5 },
  ]);
  expect(hasFault).toBe(true);
  expect(lines).toEqual([
    "net  node-0  primary  Geth/v1  1  100  3  all  128  1.3 ms  -  ok",
    "net  node-1  primary  Geth/v1  1  103  0  all  128  1.3 ms  -  ok",
    "net  node-2  primary  Geth/v1  5  900  -  all  128  1.3 ms  -  is of chain 5, node-0 is of 1: it would not be used",
  ]);
});

test("what an upstream lacks, or did not answer, stands below the table, and is no fault", () => {
  const methods = { asked: 30, lacking: ["eth_a", "eth_b"], unanswered: ["eth_c"] };
  const { lines, hasFault } = report([{ ...GOOD, methods, depth: "all", stream: "ok" }]);
  expect(hasFault).toBe(false);
  expect(lines).toEqual([
    "net  node-0  primary  Geth/v1  1  100  0  27 of 30  all  1.3 ms  ok  ok",
    "net node-0 lacks eth_a, eth_b",
    "net node-0 did not answer eth_c",
  ]);
});

test("a chain that is not the file's, no answer, and a ws that does not tell are faults", () => {
  const faults = [
    [{ ...GOOD }, "is of chain 1, the file says 7: it would not be used"],
    [{ fault: "cannot be reached: ECONNREFUSED" }, "cannot be reached: ECONNREFUSED"],
    [{ ...GOOD, chain: 7, stream: "HTTP_404" }, "its ws: HTTP_404"],
  ] as const;
  for (const [findings, told] of faults) {
    const { lines, hasFault } = report([findings], { chain: 7 });
    expect(lines.join("\n")).toMatch(new RegExp(`  ${told}$`));
    expect(hasFault).toBe(true);
  }
});

test("a genesis hash stands in place of the chain id, and is compared like it", () => {
  const slot = { ...GOOD, chain: "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d" };
  const other = { ...slot, chain: "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY" };
  const { lines, hasFault } = report([slot, other]);
  expect(hasFault).toBe(true);
  expect(lines[0]).toContain("  5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d  100  0  ");
  expect(lines[1]).toMatch(/ is of chain 4uhc.*, node-0 is of 5eykt.*: it would not be used$/);
});

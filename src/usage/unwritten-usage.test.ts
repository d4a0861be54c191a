import { describe, expect, test } from "vitest";
import type { SettledCall } from "./minute-tally.ts";
import { UnwrittenUsage } from "./unwritten-usage.ts";

const MINUTE_MS = 60_000;

const callOf = (keyId: string): SettledCall => ({
  ...{ accountId: "a", keyId, network: "n", method: "eth_call", outcome: "ok" },
  ...{ credits: 26, bytes: 10, latencyMs: 1 },
});

describe("the rows of a past minute", () => {
  test("make room once they are written, also while calls go on", () => {
    const usage = new UnwrittenUsage(4);
    for (const key of ["1", "2"]) usage.add(callOf(key), 0);
    usage.addContract(usage.sketch("a", "n", 0), "0xab");
    usage.take(10);
    expect(usage.add(callOf("3"), MINUTE_MS)).toBe(true);
    expect(usage.add(callOf("4"), MINUTE_MS)).toBe(false);
    usage.dropPast();
    const taken = ["4", "5", "6"].map((key) => usage.add(callOf(key), MINUTE_MS));
    expect(taken).toEqual([true, true, true]);
    expect(usage.add(callOf("7"), MINUTE_MS)).toBe(false);
    expect(usage.take(10).buckets.map(({ keyId }) => keyId)).toEqual(["3", "4", "5", "6"]);
  });

  test("stay as long as one of them is not written", () => {
    const usage = new UnwrittenUsage(4);
    for (const key of ["1", "2"]) usage.add(callOf(key), 0);
    usage.take(1);
    usage.add(callOf("3"), MINUTE_MS);
    usage.dropPast();
    expect(usage.take(10).buckets.map(({ minute, keyId }) => [minute, keyId])).toEqual([
      [0, "2"],
      [1, "3"],
    ]);
  });
});

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
    const usage = new UnwrittenUsage({ maxRows: 4 });
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
    const usage = new UnwrittenUsage({ maxRows: 4 });
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

describe("where very many keys call", () => {
  const keys = 1000;
  const detailedRows = 10;
  const counted = (callsOfEach: number): Map<string, number> => {
    const usage = new UnwrittenUsage({ maxRows: 100_000, detailedRows });
    for (let n = 0; n < callsOfEach * keys; n += 1) {
      expect(usage.add(callOf(`key_${n % keys}`), 0)).toBe(true);
    }
    const { buckets } = usage.take(100_000);
    return new Map(buckets.map(({ keyId, calls }) => [keyId, calls]));
  };

  test("those that call once are one row together, beyond so many rows of a minute", () => {
    const calls = counted(1);
    expect(calls.size).toBe(detailedRows + 1);
    expect(calls.get("key_9")).toBe(1);
    expect(calls.get("other")).toBe(keys - detailedRows);
  });

  test("those that call often have rows of their own, and no call is lost", () => {
    const calls = counted(100);
    expect(calls.size).toBe(keys + 1);
    expect(calls.get("key_9")).toBe(100);
    expect(calls.get("key_10")).toBeGreaterThanOrEqual(85);
    expect([...calls.values()].reduce((sum, each) => sum + each, 0)).toBe(100 * keys);
  });

  test("the next minute begins with rows of their own for all", () => {
    const usage = new UnwrittenUsage({ maxRows: 100_000, detailedRows });
    for (let n = 0; n < keys; n += 1) usage.add(callOf(`key_${n}`), 0);
    usage.add(callOf("key_999"), MINUTE_MS);
    const { buckets } = usage.take(100_000);
    expect(buckets.at(-1)).toMatchObject({ keyId: "key_999", calls: 1 });
  });
});

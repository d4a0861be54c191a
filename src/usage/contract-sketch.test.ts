import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ContractSketch, isDue, SKETCH_ENTRIES } from "./contract-sketch.ts";

const owner = { minute: 1, accountId: "acc_1", network: "mainnet" };
const address = (index: number): string => `0x${index.toString(16).padStart(40, "0")}`;

/** Some contracts that are called often, among many that are called once or twice. */
const calls = fc
  .array(fc.oneof(fc.nat(5), fc.nat(80), fc.nat(3000)), { maxLength: 4000, size: "max" })
  .map((indices) => indices.map(address));

function count(contracts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const contract of contracts) counts.set(contract, (counts.get(contract) ?? 0) + 1);
  return counts;
}

function sketchOf(contracts: readonly string[]): ContractSketch {
  const sketch = new ContractSketch(owner);
  for (const contract of contracts) sketch.add(contract, 1, true);
  return sketch;
}

describe("the sketch of contracts", () => {
  test("never has more entries than its bound, and an entry never missed more than N / k calls", () => {
    fc.assert(
      fc.property(calls, (contracts) => {
        const sketch = sketchOf(contracts);
        const truth = count(contracts);
        expect(sketch.size).toBe(Math.min(SKETCH_ENTRIES, truth.size));
        for (const { contract, hits, missed } of sketch.top()) {
          const called = truth.get(contract) ?? 0;
          expect(hits).toBeLessThanOrEqual(called);
          expect(hits + missed).toBeGreaterThanOrEqual(called);
          expect(missed).toBeLessThanOrEqual(contracts.length / SKETCH_ENTRIES);
        }
      }),
    );
  });

  test("a contract with more than N / k of the calls is always an entry", () => {
    fc.assert(
      fc.property(calls, (contracts) => {
        const entries = new Set(
          sketchOf(contracts)
            .top()
            .map(({ contract }) => contract),
        );
        for (const [contract, called] of count(contracts)) {
          if (called > contracts.length / SKETCH_ENTRIES) expect(entries).toContain(contract);
        }
      }),
    );
  });

  test("up to its bound of contracts it is exact", () => {
    const contracts = Array.from({ length: 1000 }, (_, index) => address(index % SKETCH_ENTRIES));
    const entries = sketchOf(contracts).top();
    const counted = entries.map(({ contract, hits, missed }) => [contract, [hits, missed]]);
    const truth = [...count(contracts)].map(([contract, called]) => [contract, [called, 0]]);
    expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(truth));
    expect(entries.every(isDue)).toBe(true);
  });

  test("without memory for another entry the least called gives way", () => {
    const sketch = sketchOf([address(1), address(1), address(2)]);
    sketch.add(address(3), 1, false);
    const entries = sketch.top().map(({ contract }) => contract);
    expect(entries.sort()).toEqual([address(1), address(3)]);
    expect(new ContractSketch(owner).add(address(1), 1, false)).toBeUndefined();
  });

  test("what could not be written is due again, and is not counted twice", () => {
    const sketch = sketchOf([address(1)]);
    const [entry] = sketch.top();
    expect(sketch.putBack(address(1), 1, true)).toBeUndefined();
    expect(entry).toMatchObject({ hits: 1, unsent: 2, listed: true });
  });
});

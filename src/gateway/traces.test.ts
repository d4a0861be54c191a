import { describe, expect, test } from "vitest";
import { Traces } from "./traces.ts";

const sampled = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;

function open(ratio: number, numbers: readonly number[] = []) {
  const random = numbers[Symbol.iterator]();
  return new Traces(
    { ratio, slowMs: 1000 },
    {
      clock: { now: () => 0, monotonic: () => 0 },
      exporter: { add: () => undefined, hasRoom: true, dropped: 0 },
      random: () => random.next().value ?? 0.5,
      bytes: (size) => Buffer.alloc(size, 1),
    },
  );
}

describe("calls are chosen", () => {
  test("by ratio", () => {
    const traces = open(0.25, [0.1, 0.25, 0.24, 0.9]);
    const chosen = [1, 2, 3, 4].map(() => traces.begin(undefined) !== undefined);
    expect(chosen).toEqual([true, false, true, false]);
  });

  test("none with a ratio of 0, all with 1", () => {
    expect(open(0, [0]).begin(undefined)).toBeUndefined();
    expect(open(0, [0]).begin(sampled)).toBeUndefined();
    expect(open(1, [0.999_999]).begin(undefined)).toBeDefined();
  });

  test("by a client, who gets ten times the ratio once a hundred were saved up and used", () => {
    const traces = open(0.01);
    const chosen = (calls: number) =>
      Array.from({ length: calls }, () => traces.begin(sampled)).filter((one) => one !== undefined);
    expect(chosen(110)).toHaveLength(110);
    expect(chosen(1000)).toHaveLength(100);
  });

  test("by ratio, where the client's header is none", () => {
    expect(open(0.5, [0.4]).begin("00-nonsense")?.context?.parentSpanId).toBeUndefined();
    expect(open(0.5, [0.4]).begin("00-nonsense")).toBeDefined();
  });
});

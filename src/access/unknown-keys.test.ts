import { expect, test } from "vitest";
import { UnknownKeys } from "./unknown-keys.ts";

test("an address has a thousand at once and 200 a second, and others have their own", () => {
  let nowMs = 0;
  const unknown = new UnknownKeys({ monotonic: () => nowMs });
  const taken = (address: string, times: number) =>
    Array.from({ length: times }, () => unknown.take(address)).filter((wait) => wait === 0).length;
  expect(taken("a", 1500)).toBe(1000);
  expect(unknown.take("a")).toBe(1);
  expect(taken("b", 10)).toBe(10);
  nowMs = 1000;
  expect(taken("a", 500)).toBe(200);
  unknown.giveBack("a");
  expect(taken("a", 5)).toBe(1);
});

test("each of four workers lets a quarter in", () => {
  let nowMs = 0;
  const unknown = new UnknownKeys({ monotonic: () => nowMs }, 4);
  const taken = () =>
    Array.from({ length: 1500 }, () => unknown.take("a")).filter((wait) => wait === 0).length;
  expect(taken()).toBe(250);
  nowMs = 1000;
  expect(taken()).toBe(50);
});

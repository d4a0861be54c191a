import { expect, test } from "vitest";
import { Backoff } from "./ws-backoff.ts";

test("waits double from 250 ms to 8 s, the latter half of each at random", () => {
  const least = new Backoff(() => 0);
  const most = new Backoff(() => 1);
  const expected = [500, 1000, 2000, 4000, 8000, 8000];
  expect(expected.map(() => most.next())).toEqual(expected);
  expect(expected.map(() => least.next())).toEqual(expected.map((ms) => ms / 2));
});

test("a wait never exceeds 8 s, however long a node is away", () => {
  const backoff = new Backoff(() => 1);
  const waits = Array.from({ length: 5000 }, () => backoff.next());
  expect(Math.max(...waits)).toBe(8000);
});

test("a node that was well again is tried at once", () => {
  const backoff = new Backoff(() => 0);
  for (let turn = 0; turn < 10; turn += 1) backoff.next();
  backoff.reset();
  expect(backoff.next()).toBe(250);
});

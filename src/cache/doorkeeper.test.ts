import { expect, test } from "vitest";
import { textHash } from "../lib/text-hash.ts";
import { Doorkeeper } from "./doorkeeper.ts";

/** Asks for each key as a cache would; returns how many were not found. */
function missesOf(keys: Iterable<string>, door = new Doorkeeper()): number {
  const kept = new Set<string>();
  let misses = 0;
  for (const key of keys) {
    if (kept.has(key)) door.hit();
    else {
      misses += 1;
      if (door.admits(textHash(key))) kept.add(key);
    }
  }
  return misses;
}

function* distinct(count: number, from = 0): Generator<string> {
  for (let at = from; at < from + count; at += 1) yield `eth_call["0x${at.toString(16)}"]`;
}

function* twice(keys: Iterable<string>): Generator<string> {
  const all = [...keys];
  yield* all;
  yield* all;
}

test("answers that come again are kept the first time", () => {
  expect(missesOf(twice(distinct(500)))).toBe(500);
  expect(
    missesOf(
      (function* () {
        for (let round = 0; round < 100; round += 1) yield* distinct(300);
      })(),
    ),
  ).toBe(300);
});

test("of answers that never come again, few are kept", () => {
  const door = new Doorkeeper();
  let kept = 0;
  for (const key of distinct(20_000)) if (door.admits(textHash(key))) kept += 1;
  expect(kept).toBeLessThan(600);
});

test("what comes a second time after all is kept then, and found the third time", () => {
  const door = new Doorkeeper();
  for (const key of distinct(10_000)) door.admits(textHash(key));
  const late = [...distinct(1000, 50_000)];
  expect(missesOf([...late, ...late, ...late], door)).toBeLessThan(2050);
  expect(missesOf([...late, ...late, ...late], door)).toBeLessThan(3000);
});

test("once answers come again, the next ones are kept at once", () => {
  const door = new Doorkeeper();
  for (const key of distinct(10_000)) door.admits(textHash(key));
  missesOf(
    (function* () {
      for (let at = 0; at < 100; at += 1) yield* [...distinct(50, 70_000), ...distinct(50, 70_000)];
    })(),
    door,
  );
  expect(door.admits(textHash("a new one"))).toBe(true);
});

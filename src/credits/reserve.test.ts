import { expect, test } from "vitest";
import { Reserve } from "./reserve.ts";

function reserveOf(credits: number, size = credits): Reserve {
  const reserve = new Reserve();
  reserve.size = size;
  reserve.credits = credits;
  return reserve;
}

test("while the store is away it is spent at the pace of before and a tenth faster, after a second's worth at once", () => {
  const reserve = reserveOf(1_000_000);
  let drawn = 0;
  for (let atMs = 0; atMs <= 30_000; atMs += 10) {
    while (reserve.draw(80, 1000, atMs)) drawn += 80;
    expect(drawn).toBeLessThanOrEqual(1101 * (1 + atMs / 1000));
  }
  expect(drawn).toBeGreaterThan(1101 * 31 - 80);
  expect(reserve.credits).toBe(1_000_000 - drawn);
});

test("it never gives out more than there is", () => {
  const reserve = reserveOf(100);
  expect(reserve.draw(80, 1e6, 0)).toBe(true);
  expect(reserve.draw(80, 1e6, 0)).toBe(false);
  expect(reserve.lend(50)).toBe(20);
  expect(reserve.credits).toBe(0);
});

test("it is filled up to its size or a sixteenth of the day's rest, in large parts", () => {
  expect(reserveOf(0, 8000).want(1_000_000)).toBe(8000);
  expect(reserveOf(7001, 8000).want(1_000_000)).toBe(0);
  expect(reserveOf(7000, 8000).want(1_000_000)).toBe(1000);
  expect(reserveOf(0, 8000).want(32_000)).toBe(2000);
  const reserve = reserveOf(7000, 8000);
  expect(reserve.take(5000, 1_000_000)).toBe(1000);
  // 8,000 and the 24,000 in the store are the rest.
  expect(reserve.takeExcess(24_000)).toBe(6000);
  expect(reserve.credits).toBe(2000);
  expect(reserveOf(1000, 900).takeExcess(1_000_000)).toBe(0);
});

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

test("it is filled up to its size or a sixteenth of the day's rest, and gives back what is more in large parts", () => {
  expect(reserveOf(0, 8000).want(1_000_000)).toBe(8000);
  expect(reserveOf(7000, 8000).want(1_000_000)).toBe(1000);
  expect(reserveOf(0, 8000).want(32_000)).toBe(2000);
  const reserve = reserveOf(7000, 8000);
  expect(reserve.take(5000, 1_000_000)).toBe(1000);
  // 8,000 and the 24,000 in the store are the rest.
  expect(reserve.takeExcess(24_000)).toBe(6000);
  expect(reserve.credits).toBe(2000);
  expect(reserveOf(1000, 900).takeExcess(1_000_000)).toBe(0);
});

test("while the process has a share it is spent at that pace, after an eighth of a second's worth at once, until the share ends", () => {
  const reserve = reserveOf(1_000_000);
  expect(reserve.drawShare(80, 0)).toBe(false);
  reserve.setShare(8000, 2000);
  let drawn = 0;
  for (let atMs = 0; atMs < 2000; atMs += 10) {
    while (reserve.drawShare(80, atMs)) drawn += 80;
    expect(drawn).toBeLessThanOrEqual(1000 + 8 * atMs);
  }
  expect(drawn).toBeGreaterThan(1000 + 8 * 1990 - 80);
  expect(reserve.drawShare(80, 2000)).toBe(false);
  expect(reserve.hasShare(2000)).toBe(false);
  expect(reserve.credits).toBe(1_000_000 - drawn);
});

test("of what calls want it tells what it could pay: all while it is alone, nothing where it keeps nothing", () => {
  const reserve = reserveOf(0, 0);
  expect(reserve.wanted(5000, 0)).toBeUndefined();
  reserve.isPossible = true;
  expect(reserve.wanted(5000, 0)).toBe(5000);
  expect(reserve.wanted(undefined, 0)).toBeUndefined();
  reserve.size = 8000;
  expect(reserve.wanted(5000, 999)).toBeUndefined();
  expect(reserve.wanted(5000, 3000)).toBe(3000);
  reserve.credits = 3000;
  expect(reserve.wanted(5000, 3000)).toBe(5000);
});

test("a share that is told anew brings no burst, and a call dearer than a burst is paid when none of that was drawn", () => {
  const reserve = reserveOf(1_000_000);
  let drawn = 0;
  for (let atMs = 0; atMs < 10_000; atMs += 10) {
    if (atMs % 1000 === 0) reserve.setShare(2000, atMs + 2000);
    while (reserve.drawShare(1000, atMs)) drawn += 1000;
    expect(drawn).toBeLessThanOrEqual(1000 + 2 * atMs);
  }
  expect(drawn).toBeGreaterThanOrEqual(19_000);
});

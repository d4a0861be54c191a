import { describe, expect, test, vi } from "vitest";
import { DeflatedResults } from "./deflated-results.ts";
import type { Deflated } from "./gzip-splice.ts";

const deflated = (length: number): Deflated => ({
  bytes: Buffer.alloc(length),
  sizeBytes: 1,
  crc: 0,
  shift: 0,
});

/** Whether it had to be made. */
function use(results: DeflatedResults, result: Buffer, length: number): boolean {
  let made = false;
  results.isUsedAgain(result);
  const make = (done: (one: Deflated) => void) => {
    made = true;
    done(deflated(length));
  };
  results.take(result, make, (one) => expect(one?.bytes.length).toBe(length));
  return made;
}

test("a result is known by what it is, not by what it holds", () => {
  const results = new DeflatedResults();
  const result = Buffer.from("a");
  expect([results.isUsedAgain(result), results.isUsedAgain(result)]).toEqual([false, true]);
  expect(results.isUsedAgain(Buffer.from("a"))).toBe(false);
});

test("it is made once, for all who ask while it is made and for all later ones", () => {
  const results = new DeflatedResults();
  const result = Buffer.from("a");
  const done = vi.fn();
  let finish: (one: Deflated) => void = () => undefined;
  const make = vi.fn((given: (one: Deflated) => void) => {
    finish = given;
  });
  for (let times = 0; times < 3; times++) results.take(result, make, done);
  expect(done).not.toHaveBeenCalled();
  const one = deflated(10);
  finish(one);
  results.take(result, make, done);
  expect(done.mock.calls).toEqual([[one], [one], [one], [one]]);
  expect(make).toHaveBeenCalledTimes(1);
});

test("a failure is told to all who wait, and the next one tries again", () => {
  const results = new DeflatedResults();
  const result = Buffer.from("a");
  const done = vi.fn();
  results.take(result, (given) => given(undefined), done);
  expect(done.mock.calls).toEqual([[undefined]]);
  expect(use(results, result, 10)).toBe(true);
  expect(results.bytes).toBe(10);
});

describe("beyond the bound", () => {
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => Buffer.from(name)) as Four;
  /** 700 bytes for what is used again, 100 for the rest. */
  const opened = () => new DeflatedResults(800);

  test("the ones that nobody has used for longest are made again", () => {
    const results = opened();
    for (const result of [a, b]) results.isUsedAgain(result);
    for (const result of [a, b]) expect(use(results, result, 300)).toBe(true);
    expect(use(results, a, 300)).toBe(false);
    results.isUsedAgain(c);
    expect(use(results, c, 300)).toBe(true);
    expect(results.bytes).toBe(600);
    expect([use(results, a, 300), use(results, c, 300)]).toEqual([false, false]);
    expect(use(results, b, 300)).toBe(true);
    expect(results.bytes).toBe(600);
    results.isUsedAgain(d);
    for (let times = 0; times < 2; times++) {
      expect(use(results, d, 701)).toBe(true);
      expect(results.bytes).toBe(0);
    }
  });

  test("what is used once does not push out what is used again", () => {
    const results = opened();
    expect([use(results, a, 90), use(results, a, 90)]).toEqual([true, false]);
    for (let times = 0; times < 100; times++) use(results, Buffer.from("x"), 50);
    expect(results.bytes).toBe(90 + 100);
    expect(use(results, a, 90)).toBe(false);
    use(results, b, 90);
    use(results, c, 90);
    expect([use(results, c, 90), use(results, b, 90)]).toEqual([false, true]);
  });
});

type Four = [Buffer, Buffer, Buffer, Buffer];

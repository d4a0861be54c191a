import { expect, test } from "vitest";
import { timed } from "../../test/support/timed.ts";
import { StoreProbe } from "./store-probe.ts";

/** A probe on a clock that is moved by hand, and a store that each test answers for. */
function bench(check: () => Promise<void>) {
  const state = { atMs: 0, checks: 0 };
  const store = {
    check: () => {
      state.checks += 1;
      return check();
    },
  };
  const probe = new StoreProbe({ store, clock: timed({ monotonic: () => state.atMs }) });
  return { state, probe };
}

test("a store is writable from the first write that succeeds, and not from the first that fails", async () => {
  let isFull = true;
  const { state, probe } = bench(async () => {
    if (isFull) throw new Error("full");
  });
  expect(await probe.isWritable()).toBe(false);
  isFull = false;
  state.atMs += 1000;
  expect(await probe.isWritable()).toBe(true);
});

test("however often it is asked, it writes once a second, and one write at a time", async () => {
  let answer: () => void = () => undefined;
  const { state, probe } = bench(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  const asked = Array.from({ length: 50 }, () => probe.isWritable());
  expect(state.checks).toBe(1);
  answer();
  expect(new Set(await Promise.all(asked))).toEqual(new Set([true]));
  await probe.isWritable();
  state.atMs += 999;
  await probe.isWritable();
  expect(state.checks).toBe(1);
  state.atMs += 1;
  const last = probe.isWritable();
  expect(state.checks).toBe(2);
  answer();
  await last;
});

test("a store that does not answer for long holds nobody up and counts as it did before", async () => {
  const { probe } = bench(() => new Promise(() => undefined));
  const beganAtMs = performance.now();
  expect(await probe.isWritable()).toBe(true);
  expect(performance.now() - beganAtMs).toBeLessThan(5000);
});

import { expect, test } from "vitest";
import { type FlightAttempt, leave } from "./flight-attempt.ts";
import type { FlightParts } from "./routing.ts";

type Timer = { readonly ms: number; readonly run: () => void };

/** Overtaken after 500 ms; how it is left once all its timers have run, which `then` may change. */
function leftAfter(
  inAir: { isWaiting: boolean; waitedMs: number },
  { then = () => undefined, p95Ms }: { then?: () => void; p95Ms?: number } = {},
) {
  const told: string[] = [];
  const timers: Timer[] = [];
  const parts = {
    timers: { set: (ms: number, run: () => void) => timers.push({ ms, run }) },
    latency: { value: () => p95Ms },
  } as unknown as FlightParts;
  const sent = {
    beganMs: 0,
    inAir: Object.assign(inAir, { cancel: () => told.push("cancel") }),
    upstream: {
      end: (_: unknown, outcome: string) => told.push(outcome),
      abandon: () => told.push("stalled"),
    },
  } as unknown as FlightAttempt;
  leave(sent, [sent], { parts, now: 500 });
  let now = 500;
  for (let timer = timers.shift(); timer !== undefined; timer = timers.shift()) {
    now += timer.ms;
    then();
    timer.run();
  }
  return { told, now };
}

test("a node that has an overtaken call for a second stalls, however long the call waited before", () => {
  const direct = leftAfter({ isWaiting: false, waitedMs: 0 });
  expect(direct).toEqual({ told: ["cancel", "stalled"], now: 1000 });
  const waited = leftAfter({ isWaiting: false, waitedMs: 900 });
  expect(waited).toEqual({ told: ["cancel", "stalled"], now: 1900 });
});

test("of an overtaken call that gets its connection later the second begins then", () => {
  const inAir = { isWaiting: true, waitedMs: 0 };
  const then = () => void Object.assign(inAir, { isWaiting: false, waitedMs: 800 });
  const carried = leftAfter(inAir, { then });
  expect(carried).toEqual({ told: ["cancel", "stalled"], now: 1800 });
});

test("a node of a network whose calls take a second stalls after twice as long", () => {
  const slow = leftAfter({ isWaiting: false, waitedMs: 0 }, { p95Ms: 1150 });
  expect(slow).toEqual({ told: ["cancel", "stalled"], now: 2300 });
  const quick = leftAfter({ isWaiting: false, waitedMs: 0 }, { p95Ms: 20 });
  expect(quick).toEqual({ told: ["cancel", "stalled"], now: 1000 });
});

test("a node that was never sent an overtaken call does not stall", () => {
  const never = leftAfter({ isWaiting: true, waitedMs: 0 });
  expect(never).toEqual({ told: ["cancel", "no_place"], now: 1000 });
});

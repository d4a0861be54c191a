import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { timed } from "../../test/support/timed.ts";
import { systemClock } from "./clock.ts";
import { TimerWheel } from "./timer-wheel.ts";

const TICK_MS = 20;
/** How late a timer may be once the wheel is advanced. */
const LATE_MS = 2 * TICK_MS;

/** A wheel on a clock that is moved by hand. */
function wheelAt(begin: number) {
  let now = begin;
  const wheel = new TimerWheel(timed({ monotonic: () => now }));
  const passes = (ms: number): void => {
    now += ms;
    wheel.advance();
  };
  return { wheel, passes, now: () => now };
}

type Step =
  | { readonly kind: "set"; readonly delayMs: number }
  | { readonly kind: "clear"; readonly which: number }
  | { readonly kind: "pass"; readonly ms: number };

const delays = fc.oneof(
  fc.nat({ max: 100 }),
  fc.nat({ max: 30_000 }),
  fc.double({ min: 0, max: 50_000, noNaN: true }),
);
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), delayMs: delays }),
  fc.record({ kind: fc.constant("clear" as const), which: fc.nat({ max: 20 }) }),
  fc.record({ kind: fc.constant("pass" as const), ms: delays }),
);

test("every timer runs once, never early and soon, unless it is cleared", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      fc.array(steps, { maxLength: 40 }),
      (begin, all) => {
        const { wheel, passes, now } = wheelAt(begin);
        const timers = new Map<number, { timer: object; due: number; runs: number }>();
        const check = (): void => {
          for (const { due, runs } of timers.values()) {
            if (runs > 1) throw new Error("ran twice");
            if (runs === 0 && now() >= due + LATE_MS) throw new Error(`late by ${now() - due}`);
          }
        };
        for (const step of all) {
          if (step.kind === "pass") passes(step.ms);
          else if (step.kind === "set") {
            const own = { timer: {}, due: now() + step.delayMs, runs: 0 };
            own.timer = wheel.set(step.delayMs, () => {
              if (now() < own.due) throw new Error(`early by ${own.due - now()}`);
              own.runs += 1;
            });
            timers.set(timers.size, own);
          } else {
            const own = timers.get(step.which);
            if (own === undefined) continue;
            const before = own.runs;
            wheel.clear(own.timer as Parameters<TimerWheel["clear"]>[0]);
            own.due = before === 0 ? Number.POSITIVE_INFINITY : own.due;
          }
          check();
        }
        passes(60_000);
        passes(LATE_MS);
        check();
        for (const { due, runs } of timers.values()) {
          if (runs !== (due === Number.POSITIVE_INFINITY ? 0 : 1)) throw new Error(`ran ${runs}`);
        }
      },
    ),
    { numRuns: 3_000 },
  );
});

/** A wheel whose ticks come as time passes. */
function tickingWheel() {
  let now = 0;
  let ticks = 0;
  let each: { intervalMs: number; dueMs: number; run: () => void } | undefined;
  const every = (intervalMs: number, run: () => void) => {
    const own = { intervalMs, dueMs: now + intervalMs, run };
    each = own;
    return () => {
      if (each === own) each = undefined;
    };
  };
  const wheel = new TimerWheel({ monotonic: () => now, every });
  const passes = (ms: number): void => {
    const end = now + ms;
    while (each !== undefined && each.dueMs <= end) {
      now = each.dueMs;
      each.dueMs += each.intervalMs;
      ticks += 1;
      each.run();
    }
    now = end;
  };
  return { wheel, passes, now: () => now, ticks: () => ticks };
}

test("by its own ticks every timer runs within 40 ms, whatever was set before it", () => {
  const delay = fc.oneof(fc.nat({ max: 400 }), fc.nat({ max: 30_000 }));
  const step = fc.record({ delayMs: delay, passMs: delay, isCleared: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (all) => {
      const { wheel, passes, now } = tickingWheel();
      let open = 0;
      for (const { delayMs, passMs, isCleared } of all) {
        const dueMs = now() + delayMs;
        open += 1;
        const timer = wheel.set(delayMs, () => {
          open -= 1;
          const lateMs = now() - dueMs;
          if (lateMs < 0 || lateMs > LATE_MS) throw new Error(`${lateMs} ms late`);
        });
        passes(passMs);
        if (!isCleared || timer.place < 0) continue;
        wheel.clear(timer);
        open -= 1;
      }
      passes(60_000);
      if (open !== 0) throw new Error(`${open} did not run`);
    }),
    { numRuns: 3_000 },
  );
});

test("while nothing is due soon it looks five times a second, and not at all while nothing is set", () => {
  const { wheel, passes, ticks } = tickingWheel();
  const timer = wheel.set(15_000, () => undefined);
  passes(10_000);
  expect(ticks()).toBeLessThanOrEqual(51);
  wheel.clear(timer);
  passes(200);
  const before = ticks();
  passes(10_000);
  expect(ticks()).toBe(before);
});

describe("what a timer does when it runs", () => {
  test("setting another in its place works, on the tick and much later", () => {
    const { wheel, passes } = wheelAt(7);
    const runs: string[] = [];
    wheel.set(100, () => {
      runs.push("first");
      wheel.set(0, () => runs.push("at once"));
      wheel.set(30_000, () => runs.push("later"));
    });
    passes(140);
    expect(runs).toEqual(["first"]);
    passes(LATE_MS);
    expect(runs).toEqual(["first", "at once"]);
    passes(30_000);
    expect(runs).toEqual(["first", "at once", "later"]);
  });

  test("what has it for itself alone is told, once, unless it was cleared", () => {
    const { wheel, passes } = wheelAt(0);
    const told: string[] = [];
    const owner = (name: string) => ({ name, due: () => void told.push(name) });
    wheel.set(50, owner("due"));
    wheel.clear(wheel.set(50, owner("cleared")));
    passes(1000);
    passes(1000);
    expect(told).toEqual(["due"]);
  });

  test("clearing another that is due at the same moment holds", () => {
    const { wheel, passes } = wheelAt(0);
    let ran = 0;
    const both = [
      wheel.set(50, () => {
        ran += 1;
        for (const each of both) wheel.clear(each);
      }),
      wheel.set(50, () => {
        ran += 1;
      }),
    ];
    passes(1000);
    expect(ran).toBe(1);
  });

  test("clearing twice, or after it ran, does no harm to others", () => {
    const { wheel, passes } = wheelAt(0);
    let ran = 0;
    const gone = wheel.set(10, () => undefined);
    wheel.set(500, () => {
      ran += 1;
    });
    wheel.clear(gone);
    wheel.clear(gone);
    passes(100);
    wheel.clear(gone);
    passes(500);
    expect(ran).toBe(1);
  });
});

test("runs by itself on the system's clock", async () => {
  const wheel = new TimerWheel(systemClock);
  const begun = performance.now();
  await new Promise<void>((resolve) => {
    const alive = setTimeout(() => undefined, 10_000);
    wheel.set(30, () => {
      clearTimeout(alive);
      resolve();
    });
  });
  expect(performance.now() - begun).toBeGreaterThanOrEqual(30);
});

test("what is due at once with thousands runs for 5 ms in each turn of the event loop, none of it twice", async () => {
  let now = 0;
  const wheel = new TimerWheel(timed({ monotonic: () => now }));
  const ran = new Map<number, number>();
  for (let each = 0; each < 100; each += 1) {
    wheel.set(10, () => {
      ran.set(each, (ran.get(each) ?? 0) + 1);
      now += 1;
    });
  }
  const cleared = wheel.set(10, () => ran.set(-1, 1));
  now = 100;
  const sizes: number[] = [];
  wheel.advance();
  wheel.clear(cleared);
  while (ran.size < 100 && sizes.length < 100) {
    sizes.push(ran.size);
    await nextTurn();
  }
  expect(sizes.slice(0, 3)).toEqual([5, 10, 15]);
  expect([...ran.values()]).toEqual(Array.from({ length: 100 }, () => 1));
});

import { array as arrays, assert, asyncProperty, integer, record } from "fast-check";
import { expect, test } from "vitest";
import { DatabaseClock } from "./database-clock.ts";

const DATABASE_AHEAD_MS = 1_700_000_000_123.4;

/** A clock of this machine that is moved by hand, and the database's, which runs as fast. */
function startWorld() {
  let nowMs = 5000;
  let again: () => void = () => undefined;
  let answer: () => void = () => undefined;
  let isAway = false;
  const clock = new DatabaseClock({
    ask: async () => {
      if (isAway) throw new Error("away");
      // Made when it is on its way there, told when it is back.
      const told = new Promise<number>((resolve) => {
        answer = () => resolve(Math.round(nowMs + DATABASE_AHEAD_MS));
      });
      await new Promise<void>((resolve) => {
        arrive = resolve;
      });
      return told;
    },
    time: {
      monotonic: () => nowMs,
      every: (_ms, run) => {
        again = run;
        return () => {
          again = () => undefined;
        };
      },
    },
  });
  let arrive: () => void = () => undefined;
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const pass = (ms: number) => {
    nowMs += ms;
  };
  const exchange = async ({ there, back }: { there: number; back: number }) => {
    pass(there);
    answer();
    pass(back);
    arrive();
    await turn();
  };
  return {
    clock,
    pass,
    exchange,
    askAgain: () => again(),
    setAway: (away: boolean) => {
      isAway = away;
    },
    /** Above 0: what the clock says is late. */
    lateMs: () => nowMs + DATABASE_AHEAD_MS - clock.timeAt(nowMs),
  };
}

const way = record({ there: integer({ min: 0, max: 3000 }), back: integer({ min: 0, max: 3000 }) });

test("the database's time is known to the time of the quickest exchange, whatever the others took", async () => {
  await assert(
    asyncProperty(arrays(way, { minLength: 1, maxLength: 20 }), async (ways) => {
      const world = startWorld();
      const started = world.clock.start();
      let quickest = Number.POSITIVE_INFINITY;
      for (const [index, each] of ways.entries()) {
        if (index > 0) world.askAgain();
        await world.exchange(each);
        await started;
        quickest = Math.min(quickest, each.there + each.back);
        // Rounded there, and to whole milliseconds here.
        expect(Math.abs(world.lateMs())).toBeLessThanOrEqual(quickest + 2);
        world.pass(10_000);
      }
    }),
  );
});

test("exchanges that say nothing new leave the time as it is", async () => {
  const world = startWorld();
  const started = world.clock.start();
  await world.exchange({ there: 1, back: 1 });
  await started;
  const lateMs = world.lateMs();
  for (const slow of [
    { there: 2000, back: 0 },
    { there: 0, back: 2000 },
    { there: 1, back: 1 },
  ]) {
    world.askAgain();
    await world.exchange(slow);
    expect(world.lateMs()).toBe(lateMs);
  }
});

test("while the database is away time goes on as it was known", async () => {
  const world = startWorld();
  const started = world.clock.start();
  await world.exchange({ there: 1, back: 1 });
  await started;
  world.setAway(true);
  world.askAgain();
  world.pass(3_600_000);
  expect(Math.abs(world.lateMs())).toBeLessThan(3);
});

test("a database that does not answer at first is a fault", async () => {
  const world = startWorld();
  world.setAway(true);
  await expect(world.clock.start()).rejects.toThrow("away");
});

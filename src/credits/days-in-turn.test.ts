import { beforeEach, expect, test } from "vitest";
import { DaysInTurn } from "./days-in-turn.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const TODAY = 20_000;

let nowMs: number;
let atMs: number;
let days: DaysInTurn;

function start(hour: number): void {
  nowMs = TODAY * DAY_MS + hour * HOUR_MS;
  atMs = 5000;
  days = new DaysInTurn({ now: () => nowMs, elapsed: () => atMs });
}

/** As the ledger does it, but once a minute. */
function pass(ms: number): void {
  for (let left = ms; left > 0; left -= MINUTE_MS) {
    nowMs += Math.min(left, MINUTE_MS);
    atMs += Math.min(left, MINUTE_MS);
    days.look();
  }
}

function jump(ms: number): void {
  nowMs += ms;
  days.look();
}

const today = (): number => Math.floor(nowMs / DAY_MS);
/** Whether this day has a balance of its own. */
const isOwn = (): boolean => {
  const { pool, spare } = days.standingOf(today());
  return pool === null || spare > 0;
};

beforeEach(() => start(15));

test.each([0, 1, 15, 23.95])(
  "while the clock is right each day has a balance of its own, started at %d o'clock",
  (hour) => {
    start(hour);
    for (let day = 0; day < 40; day += 1) {
      // Started a few minutes before midnight: not trusted yet, but there is the one balance more.
      if (hour < 23.9 || day !== 1) expect(isOwn()).toBe(true);
      pass(DAY_MS);
    }
  },
);

test("a midnight right after a jump gives no balance of its own, however late a paused process sees it", () => {
  jump(8 * HOUR_MS + 59 * MINUTE_MS);
  nowMs += 30 * MINUTE_MS;
  atMs += 30 * MINUTE_MS;
  days.look();
  expect(today()).toBe(TODAY + 1);
  expect(isOwn()).toBe(false);
});

test("days that the clock jumps to share one balance, known by the day of the start", () => {
  for (const days_ of [400, -7, 30]) {
    jump(days_ * DAY_MS);
    expect(days.standingOf(today())).toEqual({ pool: TODAY, spare: 0 });
  }
  jump(-423 * DAY_MS);
  expect(isOwn()).toBe(true);
});

test("a jump is seen although nothing looked at it before credits are taken", () => {
  nowMs += 400 * DAY_MS;
  expect(days.standingOf(TODAY + 400)).toEqual({ pool: TODAY, spare: 0 });
});

test("after a clock that was wrong at the start, each day has a balance of its own again", () => {
  jump(-9 * DAY_MS);
  expect(isOwn()).toBe(false);
  for (let day = 0; day < 10; day += 1) {
    pass(DAY_MS);
    expect(isOwn()).toBe(true);
  }
});

test("a clock that stays wrong has the shared balance until its midnight", () => {
  jump(400 * DAY_MS);
  pass(8 * HOUR_MS);
  expect(isOwn()).toBe(false);
  pass(2 * HOUR_MS);
  expect(isOwn()).toBe(true);
});

test("a midnight just after a jump gives no balance: a clock can be set there again and again", () => {
  for (const jumped of [50, 7, 90]) {
    jump((today() + jumped) * DAY_MS - 5 * MINUTE_MS - nowMs);
    pass(8 * MINUTE_MS);
    expect(isOwn()).toBe(false);
  }
});

test("however often midnight is set to come, no more days have a balance of their own than passed", () => {
  let own = 1;
  for (let each = 0; each < 200; each += 1) {
    jump((today() + 3) * DAY_MS - 20 * MINUTE_MS - nowMs);
    const before = isOwn();
    pass(21 * MINUTE_MS);
    if (!before && isOwn()) own += 1;
  }
  expect((200 * 21 * MINUTE_MS) / DAY_MS).toBeLessThan(3);
  expect(own).toBeLessThanOrEqual(2 + 2);
});

test("a step of minutes over midnight and back is no jump", () => {
  pass(9 * HOUR_MS - 4 * MINUTE_MS);
  jump(5 * MINUTE_MS);
  expect(isOwn()).toBe(true);
  jump(-5 * MINUTE_MS);
  expect(isOwn()).toBe(true);
  pass(DAY_MS);
  expect([isOwn(), days.standingOf(TODAY).pool]).toEqual([true, null]);
});

test("a machine that is paused over each midnight has no shared days but the first of them", () => {
  const shared = [];
  for (let day = 1; day <= 30; day += 1) {
    pass(23 * HOUR_MS);
    jump(HOUR_MS);
    if (!isOwn()) shared.push(day);
  }
  expect(shared.length).toBeLessThanOrEqual(2);
});

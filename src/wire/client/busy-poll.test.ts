import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BusyPoll, NEAR_MS, Nearness } from "./busy-poll.ts";

/** An event loop: a `turn` takes so long, and says whether the next one is awake. */
function startLoop({ hasSpareCore = true } = {}) {
  let now = 1000;
  let awakeMs = 0;
  let next: (() => void) | undefined;
  const again = (poll: () => void) => {
    expect(next).toBeUndefined();
    next = poll;
  };
  const turn = (ms: number): boolean => {
    now += ms;
    const poll = next;
    next = undefined;
    if (poll !== undefined) awakeMs += ms;
    poll?.();
    return next !== undefined;
  };
  return {
    poll: new BusyPoll({ clock: { monotonic: () => now }, hasSpareCore, again }),
    turn,
    awakeMs: () => awakeMs,
  };
}

describe("the event loop, with an answer of a near node to come,", () => {
  test("stays awake until it comes", () => {
    const { poll, turn } = startLoop();
    expect(turn(1)).toBe(false);
    poll.began();
    expect(turn(NEAR_MS / 3)).toBe(true);
    expect(turn(NEAR_MS / 3)).toBe(true);
    poll.ended();
    expect(turn(0.01)).toBe(false);
    poll.began();
    expect(turn(NEAR_MS / 3)).toBe(true);
  });

  test("sleeps where no other core is there to run the node", () => {
    const { poll, turn } = startLoop({ hasSpareCore: false });
    poll.began();
    expect(turn(NEAR_MS / 3)).toBe(false);
    poll.ended();
  });

  test("waits awake no longer than near nodes take", () => {
    const { poll, turn } = startLoop();
    poll.began();
    expect(turn(NEAR_MS * 0.9)).toBe(true);
    expect(turn(NEAR_MS * 0.2)).toBe(false);
    poll.ended();
    expect(turn(1)).toBe(false);
  });

  test("looks for one more from when that was asked for", () => {
    const { poll, turn } = startLoop();
    poll.began();
    expect(turn(NEAR_MS * 0.9)).toBe(true);
    poll.began();
    poll.ended();
    expect(turn(NEAR_MS * 0.9)).toBe(true);
    poll.ended();
    expect(turn(0.01)).toBe(false);
  });

  test("sleeps when it likes where three are to come, and wakes for the last two", () => {
    const { poll, turn, awakeMs } = startLoop();
    poll.began();
    poll.began();
    expect(turn(0.01)).toBe(true);
    poll.began();
    expect(turn(0.01)).toBe(false);
    const before = awakeMs();
    poll.began();
    turn(1);
    expect(awakeMs()).toBe(before);
    poll.ended();
    poll.ended();
    poll.ended();
    poll.began();
    expect(turn(0.01)).toBe(true);
  });

  test("waits awake for a third of its time and 5 ms at most, however calls come and go", () => {
    const steps = fc.array(
      fc.oneof(
        fc.constant("began" as const),
        fc.constant("ended" as const),
        fc.double({ min: 0.001, max: 0.4, noNaN: true }),
      ),
      { maxLength: 2000, size: "max" },
    );
    fc.assert(
      fc.property(steps, (all) => {
        const { poll, turn, awakeMs } = startLoop();
        let awaited = 0;
        let passedMs = 0;
        for (const step of all) {
          if (step === "began") {
            poll.began();
            awaited += 1;
          } else if (step !== "ended") {
            passedMs += step;
            turn(step);
          } else if (awaited > 0) {
            poll.ended();
            awaited -= 1;
          }
        }
        // A stretch ends with the turn in which its time is over.
        expect(awakeMs()).toBeLessThanOrEqual(passedMs / 3 + 5 + 0.4);
      }),
      { numRuns: 200 },
    );
  });

  test("takes the third where answers never end, in whole waits", () => {
    const { poll, turn, awakeMs } = startLoop();
    let waits = 0;
    let isAwake = false;
    for (let n = 0; n < 100_000; n += 1) {
      const before = awakeMs();
      poll.began();
      turn(0.1);
      poll.ended();
      if (!isAwake && awakeMs() > before) waits += 1;
      isAwake = awakeMs() > before;
    }
    expect(awakeMs() / 10_000).toBeGreaterThan(0.3);
    expect(awakeMs() / 10_000).toBeLessThan(0.34);
    expect(awakeMs() / waits).toBeGreaterThan(NEAR_MS * 0.99);
  });
});

describe("a node is near", () => {
  const isNearAfter = (...tookMs: readonly number[]): boolean => {
    const nearness = new Nearness();
    for (const ms of tookMs) nearness.answered(ms);
    return nearness.isNear;
  };
  const times = (count: number, ms: number) => Array.from({ length: count }, () => ms);

  test("not before it has answered soon several times", () => {
    expect(isNearAfter()).toBe(false);
    expect(isNearAfter(0.1, 0.1)).toBe(false);
    expect(isNearAfter(...times(8, 0.1))).toBe(true);
  });

  test("where most of its answers begin soon, whatever a few others take", () => {
    expect(isNearAfter(...times(20, 0.1), 5000, 20, 0.1)).toBe(true);
    expect(isNearAfter(...times(20, 0.1), ...times(8, 1))).toBe(false);
    expect(isNearAfter(...times(100, NEAR_MS))).toBe(false);
  });
});

import { expect, test } from "vitest";
import type { Timers } from "../../lib/timer-wheel.ts";
import type { Subscription } from "../subscription.ts";
import { Followers } from "./followers.ts";

/** Followers of a chain, each of whom takes a millisecond to tell, and the turns of the event loop. */
function followed(count: number) {
  let nowMs = 0;
  let heldMs: number | undefined;
  let changed = (): void => undefined;
  const turns: (() => void)[] = [];
  const told: number[] = [];
  const followers = new Followers({
    follow: (listener) => {
      changed = listener;
      return () => undefined;
    },
    inUse: () => undefined,
    clock: { monotonic: () => heldMs ?? nowMs },
    timers: { set: () => ({}), clear: () => undefined } as unknown as Timers,
    later: (run) => turns.push(run),
  });
  for (let at = 0; at < count; at += 1) {
    const advance = () => {
      nowMs += 1;
      told.push(at);
    };
    followers.add({ advance } as Subscription);
  }
  /** News come with an event, until whose end the clock stands still. */
  const tellNews = (): void => {
    heldMs = nowMs;
    changed();
    heldMs = undefined;
  };
  /** Runs the next turn. Returns who was told in it. */
  const turn = (): number[] => {
    turns.shift()?.();
    return told.splice(0);
  };
  return { tellNews, turn };
}

test("followers are told for 5 ms in each turn of the event loop", () => {
  const { tellNews, turn } = followed(12);
  tellNews();
  expect([turn(), turn(), turn(), turn()]).toEqual([
    [0, 1, 2, 3, 4],
    [5, 6, 7, 8, 9],
    [10, 11],
    [],
  ]);
});

test("news that come while followers are told are told to all of them afterwards", () => {
  const { tellNews, turn } = followed(7);
  tellNews();
  expect(turn()).toEqual([0, 1, 2, 3, 4]);
  tellNews();
  expect([turn(), turn(), turn(), turn()]).toEqual([[5, 6], [0, 1, 2, 3, 4], [5, 6], []]);
});

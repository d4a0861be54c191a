import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { TurnQueue } from "./turn-queue.ts";

const ONE_TURN = 128;

test("of many pieces of work some are done at once and some in each turn, in the order in which they came", async () => {
  const done: number[] = [];
  const queue = new TurnQueue<number>((piece) => done.push(piece));
  for (let piece = 0; piece < 3 * ONE_TURN; piece += 1) queue.push(piece);
  expect(done).toHaveLength(ONE_TURN);
  await nextTurn();
  expect(done).toHaveLength(2 * ONE_TURN);
  // Those that come meanwhile are done after those that wait.
  queue.push(3 * ONE_TURN);
  expect(done).toHaveLength(2 * ONE_TURN);
  await nextTurn();
  await nextTurn();
  expect(done).toEqual(Array.from({ length: 3 * ONE_TURN + 1 }, (_, piece) => piece));
});

test("work that comes turn by turn is done at once", async () => {
  const done: number[] = [];
  const queue = new TurnQueue<number>((piece) => done.push(piece));
  for (let piece = 0; piece < 3 * ONE_TURN; piece += 1) {
    queue.push(piece);
    expect(done).toHaveLength(piece + 1);
    if (piece % ONE_TURN === ONE_TURN - 1) await nextTurn();
  }
});

test("what a piece of work adds is done too", async () => {
  const done: number[] = [];
  const queue: TurnQueue<number> = new TurnQueue<number>((piece) => {
    done.push(piece);
    if (piece < 1000) queue.push(piece + 1);
  });
  queue.push(0);
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  expect(done).toHaveLength(1001);
});

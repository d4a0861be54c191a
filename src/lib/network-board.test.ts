import { closeSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NetworkBoard, networkBoardBytes } from "./network-board.ts";
import { openBoardFile, SharedBoard } from "./shared-board.ts";

const PROCESSES = 2;

let fd: number;
beforeEach(() => {
  fd = openBoardFile(2 * networkBoardBytes(PROCESSES));
});
afterEach(() => closeSync(fd));

const boardsOf = (own: number) => ({
  ...{ fd, processes: PROCESSES, own, now: () => 0 },
  indexOf: (network: string) => (network === "main" ? 1 : 0),
});

test("what a network and the one to take its place write, all others read", () => {
  const [mine, theirs] = [0, 1].map((own) => new NetworkBoard(boardsOf(own), "main"));
  const first = mine?.next(undefined);
  const second = mine?.next(first?.half);
  const other = theirs?.next(undefined);
  if (!first || !second || !other) throw new Error("no board");
  const [one, two, three] = [first, second, other].map(
    ({ place }) => new SharedBoard<string>(place),
  );
  one?.write("one");
  two?.write("two");
  three?.write("three");
  expect(one?.read()).toEqual(["three", "two"]);
  expect(two?.read()).toEqual(["one", "three"]);
  expect(three?.read()).toEqual(["one", "two"]);
});

test("a place that was given on is written by its new owner alone", () => {
  const board = new NetworkBoard(boardsOf(0), "main");
  const reader = new SharedBoard<string>(
    new NetworkBoard(boardsOf(1), "main").next(undefined).place,
  );
  const first = board.next(undefined);
  const old = new SharedBoard<string>(first.place);
  old.write("old");
  const second = board.next(first.half);
  const third = new SharedBoard<string>(board.next(second.half).place);
  expect(reader.read()).toEqual([]);
  old.write("old again");
  expect(reader.read()).toEqual([]);
  third.write("third");
  expect(reader.read()).toEqual(["third"]);
});

test("a process that begins takes away what the one before it wrote", () => {
  const board = new NetworkBoard(boardsOf(0), "main");
  const first = board.next(undefined);
  new SharedBoard<string>(first.place).write("one");
  new SharedBoard<string>(board.next(first.half).place).write("two");
  const reader = new SharedBoard<string>(
    new NetworkBoard(boardsOf(1), "main").next(undefined).place,
  );
  expect(reader.read()).toEqual(["one", "two"]);
  new NetworkBoard(boardsOf(0), "main");
  expect(reader.read()).toEqual([]);
});

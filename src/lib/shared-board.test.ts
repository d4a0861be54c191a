import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, writeSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sharedMonotonic } from "./clock.ts";
import { boardBytes, openBoardFile, SharedBoard } from "./shared-board.ts";

const PROCESSES = 3;
const WRITES = 20_000;

type Fact = { readonly count: number; readonly text: string };

let fd: number;
beforeEach(() => {
  fd = openBoardFile(boardBytes(PROCESSES));
});
afterEach(() => closeSync(fd));

const boardOf = (own: number) =>
  new SharedBoard<Fact>({ fd, begin: 0, processes: PROCESSES, own, now: sharedMonotonic });

test("what one has written the others read, each but its own", () => {
  const [first, second, third] = [boardOf(0), boardOf(1), boardOf(2)];
  expect(first.read()).toEqual([]);
  first.write({ count: 1, text: "a" });
  third.write({ count: 2, text: "ä" });
  expect(first.read()).toEqual([{ count: 2, text: "ä" }]);
  expect(second.read()).toEqual([
    { count: 1, text: "a" },
    { count: 2, text: "ä" },
  ]);
  expect(second.read()).toBe(second.read());
  first.write({ count: 3, text: "" });
  expect(second.read()[0]).toEqual({ count: 3, text: "" });
});

test("who takes the place of another takes away what that one wrote", () => {
  const first = boardOf(0);
  boardOf(1).write({ count: 1, text: "a" });
  expect(first.read()).toHaveLength(1);
  boardOf(1);
  expect(first.read()).toEqual([]);
});

test("of a place that is half written the last whole fact is read", () => {
  const first = boardOf(0);
  boardOf(1).write({ count: 1, text: "a" });
  expect(first.read()).toEqual([{ count: 1, text: "a" }]);
  writeSync(fd, Buffer.from("{!"), 0, 2, boardBytes(1) + 8);
  expect(first.read()).toEqual([{ count: 1, text: "a" }]);
});

test("a process that reads while another one writes reads whole facts, in order", async () => {
  const module = JSON.stringify(new URL("shared-board.ts", import.meta.url).href);
  const program = `
    const { SharedBoard } = await import(${module});
    const board = new SharedBoard({ fd: 3, begin: 0, processes: ${PROCESSES}, own: 1, now: () => 0 });
    for (let count = 1; count <= ${WRITES}; count += 1) {
      board.write({ count, text: String(count).repeat(1 + count % 100) });
    }`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "ignore", "inherit", fd],
  });
  const ended = once(child, "exit");
  const board = boardOf(0);
  let last = 0;
  for (let reads = 0; last < WRITES; reads += 1) {
    const [fact] = board.read();
    if (fact !== undefined) {
      expect(fact.text).toBe(String(fact.count).repeat(1 + (fact.count % 100)));
      expect(fact.count).toBeGreaterThanOrEqual(last);
      last = fact.count;
    }
    if (reads % 1000 === 0) await new Promise(setImmediate);
    if (child.exitCode !== null && last < WRITES) last = board.read()[0]?.count ?? last;
  }
  expect(await ended).toEqual([0, null]);
});

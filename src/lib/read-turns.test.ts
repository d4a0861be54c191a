import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { ReadTurns } from "./read-turns.ts";

const READ_BYTES = 64 * 1024;
const READS = 4;

/** Reads of this size until one has to wait. */
function readUntilOver(turns: ReadTurns, goOn: () => void): number {
  let reads = 1;
  while (turns.take(READ_BYTES, goOn)) reads += 1;
  return reads;
}

test("what is read in large pieces waits for the next turn after 256 KB", async () => {
  const turns = new ReadTurns();
  const goOn = vi.fn();
  expect(readUntilOver(turns, goOn)).toBe(READS);
  expect(goOn).not.toHaveBeenCalled();
  await nextTurn();
  expect(goOn).toHaveBeenCalledTimes(1);
  expect(readUntilOver(turns, goOn)).toBe(READS);
});

test("what is read in small pieces never waits", () => {
  const turns = new ReadTurns();
  readUntilOver(turns, () => undefined);
  const goOn = vi.fn();
  for (let read = 0; read < 1000; read += 1) expect(turns.take(1000, goOn)).toBe(true);
});

test("connections that wait go on in the order in which they came, some in each turn", async () => {
  const turns = new ReadTurns();
  readUntilOver(turns, () => undefined);
  const went: number[] = [];
  for (let connection = 0; connection < 2 * READS; connection += 1) {
    turns.take(READ_BYTES, () => went.push(connection));
  }
  const seen: number[] = [];
  while (went.length < 2 * READS && seen.length < 10) {
    await nextTurn();
    seen.push(went.length);
  }
  expect(seen).toEqual([READS - 1, 2 * READS - 1, 2 * READS]);
  expect(went).toEqual([...went.keys()]);
});

import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { ReadTurns } from "./read-turns.ts";

const READ_BYTES = 64 * 1024;
const READS = 4;
const SHARE_BYTES = 16 * 1024;

class Connection {
  mayRead = true;
  goesOn = 0;

  stop(): void {
    this.mayRead = false;
  }

  goOn(): void {
    this.mayRead = true;
    this.goesOn += 1;
  }
}

const connections = (count: number) => Array.from({ length: count }, () => new Connection());
const going = (all: readonly Connection[]) => all.filter(({ mayRead }) => mayRead).length;

/** Reads of this size until it has to wait. */
function readUntilOver(turns: ReadTurns, connection: Connection): number {
  let reads = 0;
  for (; connection.mayRead; reads += 1) turns.took(READ_BYTES, connection);
  return reads;
}

test("what is read in large pieces waits for the next turn after 256 KB", async () => {
  const turns = new ReadTurns(() => 0);
  const connection = new Connection();
  for (let turn = 0; turn < 3; turn += 1) {
    expect(readUntilOver(turns, connection)).toBe(READS);
    await nextTurn();
    expect(connection.goesOn).toBe(turn + 1);
  }
});

test("what is read in small pieces never waits", () => {
  const turns = new ReadTurns(() => 0);
  const [large = new Connection(), small = new Connection()] = connections(2);
  readUntilOver(turns, large);
  for (let read = 0; read < 1000; read += 1) turns.took(1000, small);
  expect(small.mayRead).toBe(true);
});

test("connections that wait go on in the order in which they came, some in each turn", async () => {
  const turns = new ReadTurns(() => 0);
  const all = connections(2 * READS);
  for (const connection of all) turns.took(READ_BYTES, connection);
  expect(going(all)).toBe(0);
  const seen: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    await nextTurn();
    seen.push(going(all));
  }
  expect(seen).toEqual([READS, 2 * READS, 2 * READS]);
  expect(all.map(({ goesOn }) => goesOn)).toEqual(all.map(() => 1));
});

test("what takes long waits for the next turn after 5 ms, also who has not read in this one; one goes on in each", async () => {
  let now = 0;
  const turns = new ReadTurns(() => now);
  const all = connections(5);
  const [first = new Connection()] = all;
  const small = new Connection();
  for (const connection of all) turns.took(SHARE_BYTES, connection);
  expect(going(all)).toBe(5);
  now = 5;
  turns.took(100, small);
  turns.took(1024, first);
  expect(going(all)).toBe(0);
  await nextTurn();
  expect(all.map(({ mayRead }) => mayRead)).toEqual([true, false, false, false, false]);
  now = 10;
  turns.took(SHARE_BYTES, first);
  await nextTurn();
  expect(all.map(({ mayRead }) => mayRead)).toEqual([false, true, false, false, false]);
  expect(small.mayRead).toBe(true);
});

test("while there is too much to read, who reads little does not wait before it has read 16 KB", async () => {
  let now = 0;
  const turns = new ReadTurns(() => now);
  const [busy = new Connection(), modest = new Connection()] = connections(2);
  const waits: boolean[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    turns.took(4096, modest);
    now += 5;
    turns.took(READ_BYTES, busy);
    expect(busy.mayRead).toBe(false);
    waits.push(!modest.mayRead);
    await nextTurn();
  }
  expect(waits.slice(0, 4)).toEqual([false, false, false, true]);
});

test("where a turn has lasted for 20 ms, who has not had 16 KB waits for the next one alone", async () => {
  let now = 0;
  const turns = new ReadTurns(() => now);
  const all = connections(10);
  const [greedy = new Connection(), ...modest] = all;
  const [first = new Connection()] = modest;
  turns.took(READ_BYTES, greedy);
  for (const connection of modest) turns.took(1024, connection);
  now = 19;
  turns.took(1024, first);
  expect([greedy.mayRead, going(modest)]).toEqual([false, modest.length]);
  now = 20;
  turns.took(1024, first);
  expect(going(all)).toBe(0);
  await nextTurn();
  expect([going(modest), modest.map(({ goesOn }) => goesOn)]).toEqual([9, modest.map(() => 1)]);
  // What they have read counts on.
  for (let read = 0; read < 13; read += 1) turns.took(1024, first);
  now = 26;
  turns.took(1024, first);
  expect([first.mayRead, going(modest)]).toEqual([false, 8]);
});

test("who read in large pieces in a turn that had time left is not stopped by later ones", async () => {
  let now = 0;
  const turns = new ReadTurns(() => now);
  const [early = new Connection(), late = new Connection()] = connections(2);
  turns.took(SHARE_BYTES, early);
  await nextTurn();
  turns.took(SHARE_BYTES, late);
  now = 5;
  turns.took(1024, late);
  expect([early.mayRead, late.mayRead]).toEqual([true, false]);
});

test("what clients ask for waits once the turn has lasted for 5 ms, and goes on in order; what is small never waits", async () => {
  let now = 0;
  const turns = new ReadTurns(() => now);
  const done: string[] = [];
  const ask = (name: string, bytes = 1024) => {
    const goOn = () => {
      done.push(name);
      now += 3;
    };
    if (!turns.defers(goOn, bytes)) goOn();
  };
  for (const name of ["a", "b", "c", "d", "e"]) ask(name);
  ask("small", 1023);
  expect(done).toEqual(["a", "b", "small"]);
  await nextTurn();
  expect(done.slice(3)).toEqual(["c", "d"]);
  ask("f");
  await nextTurn();
  expect(done.slice(5)).toEqual(["e", "f"]);
});

test("work that is put off again comes after what waited before", async () => {
  let now = 0;
  const turns = new ReadTurns(() => now);
  const done: string[] = [];
  const work = (name: string, left: number) => {
    done.push(name);
    now += 5;
    if (left > 0 && !turns.defers(() => work(name, left - 1))) work(name, left - 1);
  };
  work("a", 3);
  if (!turns.defers(() => work("b", 1))) work("b", 1);
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  expect(done.join("")).toBe("aaabab");
});

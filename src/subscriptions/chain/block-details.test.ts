import { expect, test } from "vitest";
import type { MonotonicMs } from "../../lib/clock.ts";
import { BlockDetails, type BlockDetailsParts } from "./block-details.ts";
import type { ToldBlock } from "./told-block.ts";

const HUGE_BYTES = 64 * 1024 * 1024;
const RETRY_MS = 250;
const block = (hash: string): ToldBlock => ({
  ...{ number: 2, hash, parentNumber: 1, parentHash: "", bloom: "", cursor: "", told: "" },
});
const joins = (hash: string) => ({ block: block(hash), kind: "joins" as const });

/** Details whose questions the test answers: with `{ of: hash }`, or with nothing. */
function details(sizeOf: () => number = () => 1) {
  const disposed: object[] = [];
  const asked: string[] = [];
  const open = new Map<string, (answer: object | undefined) => void>();
  let due: (() => void)[] = [];
  let timers: (() => void)[] = [];
  let told = 0;
  const parts: BlockDetailsParts = {
    nodes: {
      ask({ params }: { params: string }, _: unknown, done: (answer: unknown) => void) {
        asked.push(params);
        open.set(params, done);
        return () => open.delete(params);
      },
    } as unknown as BlockDetailsParts["nodes"],
    timers: {
      set: (ms: number, run: () => void) => {
        expect(ms).toBe(RETRY_MS);
        timers.push(run);
        return {};
      },
      clear: () => undefined,
    } as unknown as BlockDetailsParts["timers"],
    clock: { monotonic: () => 0 as MonotonicMs },
    later: (run) => void due.push(run),
    told: () => {
      told += 1;
    },
  };
  const turn = () => {
    const now = due;
    due = [];
    for (const run of now) run();
  };
  const kind = {
    question: ({ hash }: { hash: string }) => ({ method: "", params: hash, block: 0 }),
    read: () => undefined,
    sizeOf,
    dispose: (detail: object) => void disposed.push(detail),
  };
  const own = new BlockDetails<object>(kind, parts);
  const end = (hash: string, detail: object | undefined) => {
    const done = open.get(hash);
    open.delete(hash);
    done?.(detail);
  };
  const answer = (hash: string) => end(hash, { of: hash });
  const inVain = (hash: string) => end(hash, undefined);
  const ring = () => {
    const now = timers;
    timers = [];
    for (const run of now) run();
  };
  return { details: own, disposed, asked, turn, answer, inVain, ring, told: () => told };
}

test("a block that is larger than all that is kept is told of, and one that it took the place of is not given up", () => {
  const { details: huge, disposed, turn, answer } = details(() => HUGE_BYTES);
  for (const hash of ["one", "other"]) {
    huge.fetch(joins(hash));
    turn();
    answer(hash);
    expect(huge.known(block(hash))).toEqual({ of: hash });
  }
  expect(huge.known(block("one"))).toBeUndefined();
  expect(disposed).toEqual([{ of: "one" }]);
  expect(huge.isGivenUp(block("one"))).toBe(false);
});

test("nodes are asked for details beside their block, once somebody needed those of the one before", () => {
  const { details: own, asked, turn, answer, told } = details();
  own.expect(block("a"));
  turn();
  expect(asked).toEqual([]);
  own.fetch(joins("a"));
  turn();
  answer("a");
  own.expect(block("b"));
  turn();
  expect(asked).toEqual(["a", "b"]);
  answer("b");
  expect([told(), own.known(block("b"))]).toEqual([2, { of: "b" }]);

  own.expect(block("c"));
  turn();
  expect(asked).toEqual(["a", "b"]);
  own.needed();
  own.expect(block("d"));
  turn();
  expect(asked).toEqual(["a", "b", "d"]);
});

/** The block `b` is expected. */
function expecting() {
  const all = details();
  all.details.needed();
  all.details.expect(block("b"));
  all.turn();
  return all;
}

test("who wants details that are being asked for is told of that answer", () => {
  const { details: own, asked, turn, answer, told } = expecting();
  own.fetch(joins("b"));
  own.expect(block("b"));
  turn();
  answer("b");
  expect([asked, told(), own.known(block("b"))]).toEqual([["b"], 1, { of: "b" }]);
});

test("details that nobody wants are asked for once, and not given up", () => {
  const { details: own, asked, turn, ring, inVain, answer, told } = expecting();
  inVain("b");
  ring();
  turn();
  expect([asked, told(), own.isLost(block("b"))]).toEqual([["b"], 1, false]);
  own.fetch(joins("b"));
  turn();
  expect(own.isAsked(block("b"))).toBe(true);
  answer("b");
  expect(own.isAsked(block("b"))).toBe(false);
  expect([asked, told(), own.known(block("b"))]).toEqual([["b", "b"], 2, { of: "b" }]);
});

test("nodes that did not have the block yet are asked again at once, and then after a while", () => {
  const { details: own, asked, ring, inVain, answer, told } = expecting();
  own.fetch(joins("b"));
  inVain("b");
  expect(asked).toEqual(["b", "b"]);
  inVain("b");
  expect(asked).toEqual(["b", "b"]);
  expect(own.isGivenUp(block("b"))).toBe(false);
  ring();
  answer("b");
  expect([asked, told()]).toEqual([["b", "b", "b"], 1]);
});

test("nothing is told of details once nobody follows the chain", () => {
  const { details: own, asked, turn, answer, told } = expecting();
  own.stop();
  answer("b");
  own.expect(block("c"));
  turn();
  expect([asked, told(), own.known(block("b"))]).toEqual([["b"], 0, undefined]);
});

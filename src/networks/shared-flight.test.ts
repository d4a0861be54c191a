import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { VirtualTime } from "../../test/simulation/virtual-time.ts";
import type { RoutedNeed } from "../routing/routing.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import type { Answer } from "./answers.ts";
import type { AnswerWaiter, Plan } from "./network.ts";
import { SharedFlight, type SharedFlightParts } from "./shared-flight.ts";

const RESULT: Answer = { kind: "result", result: ['"0x1"'], upstream: {} as Upstream };
const OUT_OF_TIME: Answer = { kind: "exhausted", internal: "no answer in time" };
const EXHAUSTED: Answer = { kind: "exhausted", internal: "all failed" };
const PLAN = { epoch: 3, definition: {} } as Plan;
const NEED = {} as RoutedNeed;
const ASKED = { key: "eth_call[]", hash: 7, plan: PLAN, need: NEED, params: "[]" };

let time: VirtualTime;
/** Who asked for another attempt. */
let again: AnswerWaiter[];
let flight: SharedFlight;
let first: ReturnType<typeof waiting>;

/** Somebody who has so much time from now on. */
function waiting(leftMs: number): AnswerWaiter & { readonly got: Answer[] } {
  const got: Answer[] = [];
  const answered = (answer: Answer) => {
    got.push(answer);
  };
  return { account: "acct", keyId: "key", deadlineMs: time.nowMs + leftMs, answered, got };
}

function joined(leftMs: number): ReturnType<typeof waiting> {
  const waiter = waiting(leftMs);
  flight.join({ plan: PLAN, waiter, isLate: false });
  return waiter;
}

const parts = (): SharedFlightParts => ({
  clock: time.clock,
  timers: time,
  answered: () => undefined,
  again: (...joined) => void again.push(...joined.map(({ waiter }) => waiter)),
});

const pass = (ms: number) => time.run(time.nowMs + ms, () => undefined);

beforeEach(() => {
  time = new VirtualTime();
  again = [];
  first = waiting(8000);
  flight = new SharedFlight({ ...ASKED, lead: first }, parts());
});

test("it is shared once somebody joins, and has the plan and the time of the first", () => {
  expect(flight).toMatchObject({ isShared: false, plan: PLAN, deadlineMs: first.deadlineMs });
  joined(9000);
  expect(flight.deadlineMs).toBe(first.deadlineMs);
  expect(flight.isShared).toBe(true);
});

test("the answer comes to each once, to the first one first", () => {
  const order: string[] = [];
  flight = new SharedFlight(
    { ...ASKED, lead: { ...first, answered: () => order.push("first") } },
    { clock: time.clock, timers: time, answered: () => undefined, again: () => undefined },
  );
  for (const name of ["second", "third"]) {
    flight.join({
      plan: PLAN,
      waiter: { ...waiting(8000), answered: () => order.push(name) },
      isLate: false,
    });
  }
  flight.land(RESULT);
  expect(order).toEqual(["first", "second", "third"]);
});

describe("who has less time than the first", () => {
  test("leaves at the own deadline; the others stay", async () => {
    const short = joined(500);
    const long = joined(9000);
    await pass(450);
    expect(short.got).toEqual([]);
    await pass(100);
    expect(short.got).toEqual([OUT_OF_TIME]);
    flight.land(RESULT);
    expect([short.got, long.got, first.got]).toEqual([[OUT_OF_TIME], [RESULT], [RESULT]]);
  });

  test("gets an answer that is in time, and leaves no timer behind", async () => {
    const short = joined(500);
    expect(time.pendingTimers).toBe(1);
    await pass(100);
    flight.land(RESULT);
    expect(short.got).toEqual([RESULT]);
    expect(time.pendingTimers).toBe(0);
    await pass(1000);
    expect(short.got).toEqual([RESULT]);
  });

  test("and none at all leaves at once", async () => {
    const late = joined(-5);
    await pass(40);
    expect(late.got).toEqual([OUT_OF_TIME]);
  });
});

describe("a failure because the first one's time is over", () => {
  test.each([EXHAUSTED, { kind: "behind" } as Answer])(
    "is not that of who has time left: they ask again ($kind)",
    async (failure) => {
      await pass(1000);
      const [late, hardly] = [joined(8000), joined(7050)];
      await pass(6960);
      flight.land(failure);
      expect(first.got).toEqual([failure]);
      expect(again).toEqual([late]);
      expect(late.got).toEqual([]);
      expect(hardly.got, "90 ms are not worth an attempt").toEqual([failure]);
    },
  );

  test("is told from one that came before: that is everybody's", async () => {
    await pass(1000);
    const late = joined(8000);
    await pass(6900);
    flight.land(EXHAUSTED);
    expect([late.got, again]).toEqual([[EXHAUSTED], []]);
  });

  test("is no result, however late: that is everybody's", async () => {
    await pass(1000);
    const late = joined(8000);
    await pass(6990);
    flight.land(RESULT);
    expect([late.got, again]).toEqual([[RESULT], []]);
  });
});

describe("who joined when a node may have been asked already", () => {
  const late = (): ReturnType<typeof waiting> => {
    const waiter = waiting(8000);
    flight.join({ plan: PLAN, waiter, isLate: true });
    return waiter;
  };
  const landed = (definition: object, answer: Answer) => {
    const plan = { epoch: 3, definition } as Plan;
    flight = new SharedFlight(
      { ...ASKED, plan, lead: first },
      {
        ...{ clock: time.clock, timers: time, answered: () => undefined },
        again: (...some) => void again.push(...some.map(({ waiter }) => waiter)),
      },
    );
    const [inTime, tooLate] = [joined(8000), late()];
    flight.land(answer);
    expect(first.got).toEqual([answer]);
    expect(inTime.got).toEqual([answer]);
    return { tooLate, again };
  };
  const result = (text: string): Answer => ({ ...RESULT, result: [text] }) as Answer;
  const failure = (name: string) =>
    ({ kind: "failure", failure: { class: name }, upstream: "a" }) as unknown as Answer;

  test.each<[string, object, Answer]>([
    ["null", { lookup: "part" }, result("null")],
    [
      "a transaction without a block",
      { lookup: "part", answerBlock: "blockNumber" },
      result('{"hash":"0x01","blockNumber":null}'),
    ],
    ["that there is no such block", {}, failure("block_unknown")],
    ["that nothing was found", { lookup: "part" }, failure("not_found")],
  ])("does not get %s, which may have changed: they ask again", (_, definition, answer) => {
    const { tooLate } = landed(definition, answer);
    expect(tooLate.got).toEqual([]);
    expect(again).toEqual([tooLate]);
  });

  test.each<[string, object, Answer]>([
    ["a state", {}, RESULT],
    [
      "a transaction in a block",
      { lookup: "part", answerBlock: "blockNumber" },
      result('{"hash":"0x01","blockNumber":"0x1"}'),
    ],
    ["a revert", {}, failure("revert")],
    ["that no node answers", {}, EXHAUSTED],
  ])("gets %s", (_, definition, answer) => {
    const { tooLate } = landed(definition, answer);
    expect(tooLate.got).toEqual([answer]);
    expect(again).toEqual([]);
  });
});

test("a failure is told to thousands some in each turn of the event loop, a result at once", async () => {
  const others = Array.from({ length: 1000 }, () => joined(9000));
  const told = () => others.filter(({ got }) => got.length === 1).length;
  flight.land({ kind: "failure", failure: { class: "internal" } } as Answer);
  expect(first.got).toHaveLength(1);
  expect(told()).toBe(128);
  await nextTurn();
  expect(told()).toBe(256);
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  expect(told()).toBe(1000);

  flight = new SharedFlight({ ...ASKED, lead: waiting(8000) }, parts());
  const more = Array.from({ length: 1000 }, () => joined(9000));
  flight.land(RESULT);
  expect(more.every(({ got }) => got.length === 1)).toBe(true);
});

import { describe, expect, test } from "vitest";
import { Gathering } from "./gathering.ts";

function setUp() {
  const sent: number[][] = [];
  const ends: PromiseWithResolvers<readonly string[]>[] = [];
  const due = new Map<number, () => void>();
  const gathering = new Gathering<number, string>(
    (asks) => {
      sent.push([...asks]);
      const end = Promise.withResolvers<readonly string[]>();
      ends.push(end);
      return end.promise;
    },
    {
      after: (delayMs, run) => {
        due.set(delayMs, run);
        return () => due.delete(delayMs);
      },
    },
  );
  const turn = async () => {
    for (let step = 0; step < 5; step += 1) await undefined;
  };
  const answer = async (at: number) => {
    ends[at]?.resolve(sent[at]?.map((each) => `answer ${each}`) ?? []);
    await turn();
  };
  const passes = async (ms: number) => {
    due.get(ms)?.();
    due.delete(ms);
    await turn();
  };
  return { gathering, sent, ends, turn, answer, passes };
}

describe("what is asked for", () => {
  test("in one turn, and while a statement is in the air, goes in one, and each gets its own answer", async () => {
    const { gathering, sent, turn, answer } = setUp();
    const first = [gathering.ask(1), gathering.ask(2)];
    await turn();
    const next = [gathering.ask(3), gathering.ask(4), gathering.ask(5)];
    await turn();
    expect(sent).toEqual([[1, 2]]);
    await answer(0);
    expect(await Promise.all(first)).toEqual(["answer 1", "answer 2"]);
    expect(sent).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    await answer(1);
    expect(await Promise.all(next)).toEqual(["answer 3", "answer 4", "answer 5"]);
  });

  test("does not wait for long behind a statement that hangs", async () => {
    const { gathering, sent, turn, answer, passes } = setUp();
    const hanging = gathering.ask(1);
    await turn();
    const next = gathering.ask(2);
    await passes(100);
    expect(sent).toEqual([[1], [2]]);
    await answer(1);
    expect(await next).toBe("answer 2");
    await answer(0);
    expect(await hanging).toBe("answer 1");
  });

  test("waits for a quarter of a second where nobody waits for it, and goes along with what is asked for before", async () => {
    const { gathering, sent, turn, answer, passes } = setUp();
    const first = [gathering.askSoon(1), gathering.askSoon(2)];
    await turn();
    expect(sent).toEqual([]);
    await passes(250);
    expect(sent).toEqual([[1, 2]]);
    const next = gathering.askSoon(3);
    await answer(0);
    expect(await Promise.all(first)).toEqual(["answer 1", "answer 2"]);
    expect(sent).toHaveLength(1);
    const urgent = gathering.ask(4);
    await turn();
    expect(sent[1]).toEqual([3, 4]);
    await answer(1);
    expect(await Promise.all([next, urgent])).toEqual(["answer 3", "answer 4"]);
    await passes(250);
    expect(sent).toHaveLength(2);
  });

  test("fails with what it was sent with, and nothing else does", async () => {
    const { gathering, ends, turn, answer } = setUp();
    const failing = Promise.allSettled([gathering.ask(1), gathering.ask(2)]);
    await turn();
    const next = gathering.ask(3);
    ends[0]?.reject(new Error("the connection is gone"));
    expect((await failing).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await turn();
    await answer(1);
    expect(await next).toBe("answer 3");
  });

  test("is at most 500 at a time", async () => {
    const { gathering, sent, turn, answer } = setUp();
    const all = Array.from({ length: 1200 }, (_, number) => gathering.ask(number));
    await turn();
    for (let at = 0; at < 3; at += 1) await answer(at);
    expect(sent.map(({ length }) => length)).toEqual([500, 500, 200]);
    expect(await Promise.all(all)).toHaveLength(1200);
  });
});

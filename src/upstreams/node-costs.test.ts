import { beforeEach, describe, expect, test } from "vitest";
import { openMemory } from "../storage/memory.ts";
import type { PartnerStore } from "../storage/store.ts";
import { costed, NodeCosts } from "./node-costs.ts";

const LAST_DAY = Date.parse("2026-11-30T23:59:30Z");
const KEY = "cost:net/paid";

let now: number;
let due: { readonly atMs: number; readonly run: () => void }[];
let store: PartnerStore;
let fault: Error | undefined;
let counted: number;
let failures: number;
let changes: boolean[];

beforeEach(() => {
  now = LAST_DAY;
  due = [];
  store = openMemory().partners;
  fault = undefined;
  counted = 0;
  failures = 0;
  changes = [];
});

function open(monthly?: number): NodeCosts {
  const costs: NodeCosts = new NodeCosts(
    { key: KEY, perCall: 80, methods: { eth_getLogs: 255 }, monthly },
    {
      store: {
        read: (...asked) => store.read(...asked),
        take: async (request) => {
          if (fault !== undefined) throw fault;
          return store.take(request);
        },
      },
      clock: { now: () => now },
      timers: {
        set: (delayMs, run) => {
          const timer = { atMs: now + delayMs, run: run as () => void };
          due.push(timer);
          return timer as never;
        },
        clear: (timer) => {
          due = due.filter((one) => one !== (timer as unknown));
        },
      },
      count: (units) => {
        counted += units;
      },
      onStoreFailure: () => {
        failures += 1;
      },
      changed: () => changes.push(costs.isUsedUp),
    },
  );
  return costs;
}

/** Lets so much time go by, with what is due in it. */
async function pass(ms: number): Promise<void> {
  const end = now + ms;
  for (;;) {
    const [next] = due.filter(({ atMs }) => atMs <= end).sort((a, b) => a.atMs - b.atMs);
    if (next === undefined) break;
    due = due.filter((one) => one !== next);
    now = Math.max(now, next.atMs);
    next.run();
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  }
  now = end;
}
const spend = (costs: NodeCosts, calls: number, method = "eth_call"): boolean[] =>
  Array.from({ length: calls }, () => costs.trySpend(method));

describe("the units of a node", () => {
  test("are counted in the storage each second, by method, and nothing is asked while nothing is sent", async () => {
    const costs = open();
    spend(costs, 3);
    spend(costs, 2, "eth_getLogs");
    expect(await costs.month()).toBe(750);
    await pass(1000);
    expect(await store.read(KEY, now)).toEqual({ day: 750, month: 750 });
    expect(counted).toBe(750);
    expect(due).toEqual([]);
  });

  test("are bounded by the month's, which a second's calls may pass", async () => {
    const costs = open(400);
    expect(spend(costs, 7)).not.toContain(false);
    await pass(1000);
    expect(costs.isUsedUp).toBe(true);
    expect(costs.trySpend("eth_call")).toBe(false);
    expect(changes).toEqual([true]);
    expect(await store.read(KEY, now)).toEqual({ day: 400, month: 400 });
  });

  test("are those of all gateways, and outlive them", async () => {
    const first = open(400);
    spend(first, 4);
    await first.stop();
    const second = open(400);
    spend(second, 2);
    await pass(1000);
    expect(second.isUsedUp).toBe(true);
  });

  test("are new in the next month, within a minute", async () => {
    const costs = open(400);
    spend(costs, 6);
    await pass(1000);
    expect(costs.isUsedUp).toBe(true);
    await pass(90_000);
    expect(changes).toEqual([true, false]);
    expect(costs.trySpend("eth_call")).toBe(true);
    await pass(1000);
    expect(await store.read(KEY, now)).toEqual({ day: 80, month: 80 });
  });

  test("are kept while the storage is away, which is told once, and are written afterwards", async () => {
    const costs = open(10_000);
    fault = new Error("away");
    spend(costs, 2);
    await pass(3500);
    spend(costs, 1);
    fault = undefined;
    await pass(2000);
    expect(failures).toBe(1);
    expect(await store.read(KEY, now)).toMatchObject({ month: 240 });
  });
});

test("nothing is sent where the month is used up, and the call goes to another node", async () => {
  const costs = open(80);
  const sent: string[] = [];
  const transport = costed(
    {
      isConnected: true,
      call: ({ method }) => {
        sent.push(method);
        return { cancel: () => undefined };
      },
      close: async () => undefined,
    },
    costs,
  );
  const answers: unknown[] = [];
  const ask = () => {
    const asker = { answered: (answer: unknown) => answers.push(answer) };
    transport.call({ method: "eth_call", params: "[]", timeoutMs: 1000 }, asker);
  };
  ask();
  ask();
  await pass(1000);
  ask();
  expect(sent).toEqual(["eth_call", "eth_call"]);
  expect(answers).toEqual([{ kind: "no_place" }]);
});

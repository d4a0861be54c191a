import { expect, test } from "vitest";
import { openMemory } from "../storage/memory.ts";
import type { PartnerLimits, PartnerTake } from "../storage/store.ts";
import { PartnerCaps } from "./partner-caps.ts";

const EVENING = Date.parse("2026-11-30T23:00:00Z");
const HOUR_MS = 3_600_000;

const setUp = (caps: PartnerLimits = {}) => {
  const { partners } = openMemory();
  const time = { now: EVENING };
  const held = { caps };
  const asked: PartnerTake[] = [];
  const failures: unknown[] = [];
  const store = { fault: undefined as Error | undefined };
  const partnerCaps = new PartnerCaps(
    { network: "mainnet", caps: () => held.caps },
    {
      clock: { now: () => time.now },
      store: {
        take: async (request) => {
          asked.push(request);
          if (store.fault) throw store.fault;
          return partners.take(request);
        },
      },
      onStoreFailure: (error) => failures.push(error),
    },
  );
  const take = (): Promise<boolean> => new Promise((resolve) => partnerCaps.take(resolve));
  /** How many of so many that come at once are allowed. */
  const takeAll = async (calls: number): Promise<number> =>
    (await Promise.all(Array.from({ length: calls }, take))).filter(Boolean).length;
  const counted = () => partners.read("mainnet", time.now);
  return { time, held, asked, failures, store, partnerCaps, take, takeAll, counted };
};

test("without caps every call is allowed and counted", async () => {
  const { takeAll, counted } = setUp();
  expect(await takeAll(40)).toBe(40);
  expect(await counted()).toEqual({ day: 40, month: 40 });
});

test("a cap is kept to the call, also among calls that come together, first come first served", async () => {
  const { take, takeAll, counted } = setUp({ day: 7, month: 100 });
  expect(await takeAll(5)).toBe(5);
  expect(await Promise.all([take(), take(), take(), take()])).toEqual([true, true, false, false]);
  expect(await counted()).toEqual({ day: 7, month: 7 });
});

test("calls that come while the store is asked go together in one question", async () => {
  const { asked, takeAll } = setUp();
  await takeAll(500);
  expect(asked.map(({ calls }) => calls)).toEqual([1, 499]);
});

test("once a cap is reached the store is left alone until the next UTC day", async () => {
  const { time, asked, partnerCaps, takeAll } = setUp({ day: 3 });
  expect(await takeAll(10)).toBe(3);
  const questions = asked.length;
  let answer: boolean | undefined;
  partnerCaps.take((allowed) => {
    answer = allowed;
  });
  expect([answer, asked.length]).toEqual([false, questions]);
  time.now += HOUR_MS;
  expect(await takeAll(10)).toBe(3);
});

test("a month's cap holds over its days, and ends with it", async () => {
  const { time, takeAll } = setUp({ day: 4, month: 6 });
  time.now -= 24 * HOUR_MS;
  expect(await takeAll(5)).toBe(4);
  time.now = EVENING;
  expect(await takeAll(5)).toBe(2);
  time.now += HOUR_MS;
  expect(await takeAll(5)).toBe(4);
});

test("while the store fails no call goes to a partner, and that is told once for each time", async () => {
  const { failures, store, take, takeAll, counted } = setUp();
  store.fault = new Error("the disk is full");
  expect(await takeAll(10)).toBe(0);
  expect(await takeAll(10)).toBe(0);
  expect(failures).toEqual([store.fault]);
  store.fault = undefined;
  expect(await take()).toBe(true);
  expect(await counted()).toEqual({ day: 1, month: 1 });
  store.fault = new Error("again");
  expect(await take()).toBe(false);
  expect(failures).toHaveLength(2);
});

test("a cap that was reached and is raised since allows what it has more", async () => {
  const { held, takeAll } = setUp({ day: 3 });
  expect(await takeAll(10)).toBe(3);
  held.caps = { day: 5 };
  expect(await takeAll(10)).toBe(2);
  held.caps = { day: 4 };
  expect(await takeAll(10)).toBe(0);
});

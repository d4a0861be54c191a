import { expect, type TestContext, test } from "vitest";
import type { Started } from "../support/started-gateway.ts";
import { ON_POSTGRES, testStorage } from "../support/test-storage.ts";
import {
  BALANCE,
  type ClockedPlace,
  call,
  dayIn,
  dayOf,
  openClockedPlace,
} from "./clocked-place.ts";

const SOON = { timeout: 8000, interval: 100 };

type Opened = Pick<TestContext, "expect"> & { readonly place: ClockedPlace; readonly key: string };

/** With the key of an account, until the test has ended. */
async function open(
  { expect, onTestFinished, skip }: TestContext,
  options: Parameters<typeof openClockedPlace>[1] = {},
): Promise<Opened> {
  skip(ON_POSTGRES, "days go by the database's clock there: database-clock.test.ts");
  const place = await openClockedPlace(await testStorage("sqlite:./tollgate.db"), options);
  onTestFinished(() => place.stop());
  return { expect, place, key: (await place.createKey()).key };
}

/** Sets the clock of a running gateway, and waits until all its workers have seen that; free calls. */
async function jump(
  gateway: Started,
  { expect, place, key }: Opened,
  aheadDays: number,
): Promise<void> {
  place.setClock(aheadDays);
  let seen = 0;
  const isSeen = async () => {
    seen = (await dayOf(gateway, key)) === dayIn(aheadDays) ? seen + 1 : 0;
    return seen >= 5;
  };
  await expect.poll(isSeen, { timeout: 5000, interval: 30 }).toBe(true);
}

/** Calls until they are refused for the balance: what was served, credits. */
async function spendAll(gateway: Started, key: string): Promise<number> {
  let served = 0;
  for (const price of [1000, 80, 5] as const) {
    for (;;) {
      const { status } = await call(gateway, key, price);
      if (status !== 200) {
        expect(status).toBe(402);
        break;
      }
      served += price;
    }
  }
  return served;
}

test.concurrent("after a clock that was 400 days ahead calls are paid from the real day, after a restart too", async (context) => {
  const opened = await open(context);
  const { expect, place, key } = opened;
  let gateway = await place.start();
  expect(await call(gateway, key, 1000)).toMatchObject({ status: 200 });
  await jump(gateway, opened, 400);
  expect(await call(gateway, key)).toEqual({ status: 200, remaining: BALANCE - 80 });
  await jump(gateway, opened, 0);
  const left = BALANCE - 1005;
  expect(await call(gateway, key, 5)).toEqual({ status: 200, remaining: left });
  await expect.poll(place.usage, SOON).toEqual({ used: 1005, left });
  gateway.process.kill("SIGTERM");
  await gateway.process.ended;
  gateway = await place.start();
  expect(await call(gateway, key, 5)).toEqual({ status: 200, remaining: left - 5 });
  expect(await spendAll(gateway, key)).toBe(left - 5);
  await expect.poll(place.usage, SOON).toEqual({ used: BALANCE, left: 0 });
});

test.concurrent("a process that started while the clock was wrong pays from the real day once it is right", async (context) => {
  const opened = await open(context, { aheadDays: 400 });
  const { expect, place, key } = opened;
  const gateway = await place.start();
  expect(await spendAll(gateway, key)).toBe(BALANCE);
  await jump(gateway, opened, 0);
  expect(await call(gateway, key, 5)).toEqual({ status: 200, remaining: BALANCE - 5 });
  await expect.poll(place.usage, SOON).toEqual({ used: 5, left: BALANCE - 5 });
  expect(await spendAll(gateway, key)).toBe(BALANCE - 5);
});

test.concurrent.for([[undefined], [2]])(
  "however the clock jumps, one balance more than the real day's is served, and that day keeps its own (workers: %s)",
  async ([workers], context) => {
    const opened = await open(context, { workers });
    const { expect, place, key } = opened;
    const gateway = await place.start();
    expect(await call(gateway, key, 1000)).toMatchObject({ status: 200 });
    let served = 0;
    for (const days of [400, -3, 1, 30, 400, 2]) {
      await jump(gateway, opened, days);
      served += (await call(gateway, key, 1000)).status === 200 ? 1000 : 0;
    }
    expect(served).toBe(6000);
    for (const days of [7, 400, 1]) {
      await jump(gateway, opened, days);
      served += await spendAll(gateway, key);
    }
    expect(served).toBeLessThanOrEqual(BALANCE);
    expect(served).toBeGreaterThan(BALANCE * 0.9);
    await jump(gateway, opened, 0);
    expect(await call(gateway, key, 5)).toEqual({ status: 200, remaining: BALANCE - 1005 });
    const left = BALANCE - 1005;
    await expect.poll(place.usage, SOON).toEqual({ used: 1005, left });
    expect(await spendAll(gateway, key)).toBeGreaterThan(left * 0.9);
  },
);

test.concurrent("a repair forgets what a wrong clock used of later days, of keys too, while the gateway runs", async (context) => {
  const opened = await open(context, { aheadDays: 1 });
  const { expect, place, key } = opened;
  const limited = await place.createKey();
  await place.json("keys", "limit", limited.id, "--daily", "3000");
  const gateway = await place.start();
  for (let each = 0; each < 3; each += 1) await call(gateway, limited.key, 1000);
  expect(await spendAll(gateway, key)).toBe(BALANCE - 3000);
  await jump(gateway, opened, 0);
  const forgotten = await place.repair();
  expect(forgotten).toHaveLength(2);
  expect(forgotten).toContainEqual(expect.objectContaining({ used: BALANCE }));
  expect(forgotten).toContainEqual(expect.objectContaining({ owner: limited.id, used: 3000 }));
  // The next day comes.
  await jump(gateway, opened, 1);
  expect(await call(gateway, key, 5)).toEqual({ status: 200, remaining: BALANCE - 5 });
  expect(await call(gateway, limited.key, 1000)).toMatchObject({ status: 200 });
  await expect.poll(place.usage, SOON).toMatchObject({ used: 1005 });
});

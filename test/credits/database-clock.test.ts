import { setTimeout } from "node:timers/promises";
import { type TestContext, test } from "vitest";
import { newSchema, setMoment, sharedPostgres } from "../support/postgres.ts";
import { BALANCE, call, dayIn, dayOf, openClockedPlace } from "./clocked-place.ts";

/** A gateway asks for the database's time each ten seconds. */
const SOON = { timeout: 15_000, interval: 200 };
/** A clock that is set is seen within 10 ms. */
const SEEN_MS = 50;

async function open(aheadDays: number, onTestFinished: TestContext["onTestFinished"]) {
  const storage = { url: await sharedPostgres(), schema: newSchema(), poolSize: 4 };
  const place = await openClockedPlace(storage, { aheadDays });
  onTestFinished(() => place.stop());
  return { storage, place, key: (await place.createKey()).key };
}

test.concurrent("on PostgreSQL a machine's clock that is wrong, or is set, changes no day and grants nothing", async ({
  expect,
  onTestFinished,
}) => {
  const { place, key } = await open(2, onTestFinished);
  const gateway = await place.start();
  let served = 0;
  for (const days of [2, 400, -3, 1, 30, 0, 2]) {
    place.setClock(days);
    await setTimeout(SEEN_MS);
    expect(await dayOf(gateway, key)).toBe(dayIn(0));
    served += 1000;
    expect(await call(gateway, key, 1000)).toEqual({ status: 200, remaining: BALANCE - served });
  }
  // A command runs on a machine whose clock is wrong, too.
  await place.credit(500);
  await expect.poll(place.usage, SOON).toEqual({ used: served, left: BALANCE + 500 - served });
  for (; served < BALANCE; served += 1000) {
    expect(await call(gateway, key, 1000)).toMatchObject({ status: 200 });
  }
  for (let each = 0; each < 100; each += 1) {
    expect(await call(gateway, key, 5)).toMatchObject({ status: 200 });
  }
  expect(await call(gateway, key, 5)).toMatchObject({ status: 402 });
  expect(await place.repair()).toEqual([]);
});

test.concurrent("a gateway follows the database's clock, and a clock that jumps there grants one balance", async ({
  expect,
  onTestFinished,
}) => {
  const { storage, place, key } = await open(0, onTestFinished);
  const gateway = await place.start();
  expect(await call(gateway, key, 1000)).toMatchObject({ status: 200 });
  await setDatabaseClock(storage, 3);
  await expect.poll(() => dayOf(gateway, key), SOON).toBe(dayIn(3));
  expect(await call(gateway, key, 1000)).toEqual({ status: 200, remaining: BALANCE - 1000 });
  await setDatabaseClock(storage, 0);
  await expect.poll(() => dayOf(gateway, key), SOON).toBe(dayIn(0));
  expect(await call(gateway, key, 1000)).toEqual({ status: 200, remaining: BALANCE - 2000 });
  expect(await place.repair()).toMatchObject([{ used: 1000 }]);
});

/** From the right one. */
function setDatabaseClock(
  storage: { readonly url: string; readonly schema: string },
  aheadDays: number,
): Promise<void> {
  const right = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
  return setMoment(storage, `${right} + ${aheadDays * 86_400_000}`);
}

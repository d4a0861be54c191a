import { afterAll, beforeAll, expect, test } from "vitest";
import { PRICES, seeded } from "./calls.ts";
import { killTimes } from "./kills.ts";
import { spend } from "./spenders.ts";
import { Tally } from "./tally.ts";
import { type Customer, startTwoGateways, type TwoGateways } from "./two-gateways.ts";

/**
 * Unspent credits go back 1 s after the last call; from 2 s on `used` is what was served, which simulations show by their
 * own clocks. A machine that runs other tests beside this one may take longer.
 */
const SETTLED_MS = 10_000;
const CHEAPEST = Math.min(...PRICES);
/** No calls add up to the last 3. */
const DAY = 500_003;
const CLIENTS = 50;

let both: TwoGateways;
beforeAll(async () => {
  // So many a second that the day is what ends.
  both = await startTwoGateways({
    day: { dailyCredits: DAY, creditsPerSecond: DAY },
  });
});
afterAll(() => both.stop());

/** Until a whole round of clients, on both gateways, is served nothing more. */
async function spendAll(customer: Customer, tally: Tally): Promise<void> {
  const random = seeded(4);
  const port = (client: number) => both.gateways[client % 2 === 0 ? 0 : 1].port;
  for (let before = -1; tally.served > before; ) {
    before = tally.served;
    await spend(CLIENTS, { key: customer.key, prices: PRICES, port, random, tally });
    await expect.poll(customer.used, { timeout: SETTLED_MS, interval: 50 }).toBe(tally.served);
  }
}

async function creditsOfMethods(customer: Customer): Promise<number> {
  const { calls } = await both.usage(customer);
  return calls.reduce((sum, { credits }) => sum + credits, 0);
}

test("50 clients over two processes are served what is charged, down to what buys no call", async () => {
  const customer = await both.customer("day");
  const tally = new Tally();
  await spendAll(customer, tally);
  const { limit, used, left } = await both.usage(customer);
  expect({ limit, used, left }).toEqual({ limit: DAY, used: tally.served, left: DAY % CHEAPEST });
  expect(tally.chargedOverHttp).toBe(tally.servedOverHttp);
  expect(new Set(tally.closed)).toEqual(new Set([4402]));
  // The statistics are written a second later.
  await expect.poll(() => creditsOfMethods(customer), { timeout: SETTLED_MS }).toBe(used);
  expect(tally).toMatchObject({ odd: [], doubtful: [] });
  // All of it took place: batches refused in part, calls that were free, clients of both kinds.
  for (const calls of [tally.calls.served, tally.calls.notServed, tally.calls.exhausted]) {
    expect(calls).toBeGreaterThan(50);
  }
});

test("of two processes one is killed, four times: never overspent, and no more is lost than was open", async () => {
  for (const killed of await killTimes(4)) {
    const { limit, used, served, doubtful, bound, odd } = killed;
    expect(odd).toEqual([]);
    expect(used).toBeLessThanOrEqual(limit);
    expect(limit - used).toBeLessThan(CHEAPEST);
    // Nothing was served that was not charged.
    expect(used).toBeGreaterThanOrEqual(served);
    // What was open: the lease, or calls in the air where they were more.
    const open = Math.max(bound, doubtful.notServed);
    expect(used - served).toBeLessThanOrEqual(open + doubtful.perhapsServed);
  }
}, 120_000);

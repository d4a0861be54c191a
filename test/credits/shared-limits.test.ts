import { afterAll, beforeAll, test } from "vitest";
import { callerOf, socketsOf } from "./callers.ts";
import { demand } from "./throughput.ts";
import { startTwoGateways, type TwoGateways } from "./two-gateways.ts";

const PER_SECOND = 4000;
/** What the issue allows: a change of a key 1 s, of a plan 2 s. */
const KEY_MS = 1000;
const ACCOUNT_MS = 2000;

let both: TwoGateways;
beforeAll(async () => {
  both = await startTwoGateways({
    small: { dailyCredits: 400, creditsPerSecond: 10_000 },
    second: { dailyCredits: 100_000_000, creditsPerSecond: PER_SECOND },
    large: { dailyCredits: 1_000_000, creditsPerSecond: 100_000 },
  });
});
afterAll(() => both.stop());

const run = (...args: string[]) => both.workplace.json(...args);
const within = (timeout: number) => ({ timeout, interval: 20 });

test.concurrent("two processes share an account's throughput: 10 s serve 10 % more than its credits per second at most", async ({
  expect,
}) => {
  const customer = await both.customer("second");
  const ports = () => both.gateways.map(({ port }) => port);
  const { tally, mostIn10s, perSecond } = await demand({ customer, ports, forMs: 10_500 });
  expect(mostIn10s).toBeLessThanOrEqual(PER_SECOND * 10 * 1.1);
  expect(perSecond).toBeGreaterThanOrEqual(PER_SECOND * 0.7);
  expect(tally.calls.tooFast).toBeGreaterThan(tally.calls.served);
  expect(tally).toMatchObject({ odd: [], doubtful: [] });
});

test.concurrent("an account on another plan feels it in both processes within 2 s, and keeps what it spent", async ({
  expect,
}) => {
  const customer = await both.customer("large");
  const { call, statuses, charged } = callerOf(both, customer);
  for (const gateway of [0, 1] as const) expect((await call(gateway, 1000)).status).toBe(200);
  await run("accounts", "set-plan", customer.email, "small");
  await expect.poll(() => statuses(), within(ACCOUNT_MS)).toEqual([402, 402]);
  await expect.poll(customer.used, within(ACCOUNT_MS)).toBe(charged());
  const { used, limit, left } = await both.usage(customer);
  expect({ used, limit, left }).toEqual({ used: charged(), limit: 400, left: 0 });

  await run("accounts", "set-plan", customer.email, "large");
  await expect.poll(() => statuses(), within(ACCOUNT_MS)).toEqual([200, 200]);
  await expect.poll(customer.used, within(ACCOUNT_MS)).toBe(charged());
  expect(await both.usage(customer)).toMatchObject({ used: charged(), limit: 1_000_000 });
});

test.concurrent("credits that are added to the day revive an exhausted account within 2 s, and are spent exactly", async ({
  expect,
}) => {
  const customer = await both.customer("small");
  const { statuses, call, charged } = callerOf(both, customer);
  const sockets = await socketsOf(both, customer);
  // What one process has not spent comes to the other a second later.
  const spendAll = async () => {
    await statuses();
    return charged();
  };
  await Promise.all([call(0, 80), call(1, 80), call(0, 80), call(1, 80)]);
  await expect.poll(spendAll, within(10_000)).toBe(400);
  expect(await statuses()).toEqual([402, 402]);
  const exhausted = { code: 402, event: -33000 };
  expect(await sockets.errors()).toMatchObject([exhausted, exhausted]);
  expect(await sockets.codes).toEqual([4402, 4402]);

  await run("accounts", "credit", customer.email, "160");
  const alive = (gateway: 0 | 1) => async () => (await call(gateway, 5)).status;
  await Promise.all([
    expect.poll(alive(0), within(ACCOUNT_MS)).toBe(200),
    expect.poll(alive(1), within(ACCOUNT_MS)).toBe(200),
  ]);
  await expect.poll(spendAll, within(10_000)).toBe(560);
  expect(await statuses()).toEqual([402, 402]);
  expect(await both.usage(customer)).toMatchObject({ used: 560, limit: 560, left: 0 });
});

test.concurrent("of a key's own day two processes together serve not one credit more, and its account goes on", async ({
  expect,
}) => {
  const customer = await both.customer("large");
  await run("keys", "limit", customer.keyId, "--daily", "1000");
  const { errors, charged } = callerOf(both, customer);
  const gone = expect.objectContaining({ code: 429, event: -33400 });
  // What one process has not spent comes to the other a second later.
  await expect
    .poll(async () => {
      await errors(5);
      return charged();
    }, within(10_000))
    .toBe(1000);
  expect(await errors(5)).toEqual([gone, gone]);
  await expect.poll(customer.used, within(ACCOUNT_MS)).toBe(1000);
  await run("keys", "limit", customer.keyId, "--daily", "0");
  await expect.poll(() => errors(5), within(KEY_MS)).toEqual([undefined, undefined]);
});

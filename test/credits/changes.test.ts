import { afterAll, beforeAll, expect, test } from "vitest";
import { callerOf, socketsOf } from "./callers.ts";
import { startTwoGateways, type TwoGateways } from "./two-gateways.ts";

/** What the issue allows: a change of a key 1 s, of a plan 2 s. */
const KEY_MS = 1000;
const ACCOUNT_MS = 2000;

let both: TwoGateways;
beforeAll(async () => {
  both = await startTwoGateways({
    small: { dailyCredits: 400, creditsPerSecond: 10_000 },
    large: { dailyCredits: 1_000_000, creditsPerSecond: 100_000 },
  });
});
afterAll(() => both.stop());

const run = (...args: string[]) => both.workplace.json(...args);
const within = (timeout: number) => ({ timeout, interval: 20 });

test("a revoked key is refused by both processes within 1 s, and its WebSockets are closed", async () => {
  const customer = await both.customer("large");
  const { statuses } = callerOf(both, customer);
  const { codesSoFar } = await socketsOf(both, customer);
  expect(await statuses()).toEqual([200, 200]);
  await run("keys", "revoke", customer.keyId);
  await Promise.all([
    expect.poll(() => statuses(), within(KEY_MS)).toEqual([401, 401]),
    expect.poll(codesSoFar, within(KEY_MS)).toEqual([4401, 4401]),
  ]);
});

test("a suspended account is refused by both, its WebSockets are closed, and it can be resumed", async () => {
  const customer = await both.customer("large");
  const { statuses, errors } = callerOf(both, customer);
  const { codesSoFar } = await socketsOf(both, customer);
  expect(await statuses()).toEqual([200, 200]);
  await run("accounts", "suspend", customer.email);
  await Promise.all([
    expect.poll(() => statuses(), within(ACCOUNT_MS)).toEqual([403, 403]),
    expect.poll(codesSoFar, within(ACCOUNT_MS)).toEqual([4403, 4403]),
  ]);
  const suspended = { code: 403, event: -33100, details: "account suspended" };
  expect(await errors(80)).toMatchObject([suspended, suspended]);
  await run("accounts", "resume", customer.email);
  await expect.poll(() => statuses(), within(ACCOUNT_MS)).toEqual([200, 200]);
});

test("an account on another plan, or with limits of its own, is told the figures by both processes", async () => {
  const customer = await both.customer("small");
  const { call } = callerOf(both, customer);
  const policies = async () => {
    const answers = await Promise.all([call(0, 5), call(1, 5)]);
    return answers.map(({ headers }) => headers["ratelimit-policy"]);
  };
  const policy = (daily: number, perSecond: number) =>
    Array(2).fill(`"day";q=${daily};w=86400, "second";q=${perSecond};w=1`);
  expect(await policies()).toEqual(policy(400, 10_000));
  await run("accounts", "set-plan", customer.email, "large");
  await expect.poll(policies, within(ACCOUNT_MS)).toEqual(policy(1_000_000, 100_000));
  await run("accounts", "limit", customer.email, "--daily", "70000", "--per-second", "900");
  await expect.poll(policies, within(ACCOUNT_MS)).toEqual(policy(70_000, 900));
});

test("a key's own throughput is held by both processes within 1 s, and given up again", async () => {
  const customer = await both.customer("large");
  const { errors, statuses } = callerOf(both, customer);
  expect(await statuses()).toEqual([200, 200]);
  await run("keys", "limit", customer.keyId, "--per-second", "10");
  const tooFast = expect.objectContaining({ code: 429, event: -33300 });
  await expect.poll(() => errors(80), within(KEY_MS)).toEqual([tooFast, tooFast]);
  await run("keys", "limit", customer.keyId, "--per-second", "0");
  await expect.poll(() => statuses(), within(KEY_MS)).toEqual([200, 200]);
});

test("a key's allow-lists are followed by both processes within 1 s, by open WebSockets too", async () => {
  const customer = await both.customer("large");
  const { errors, statuses } = callerOf(both, customer);
  const sockets = await socketsOf(both, customer);
  expect(await statuses()).toEqual([200, 200]);
  const forbidden = (kind: string) =>
    expect.objectContaining({ code: 403, event: -33100, details: expect.stringContaining(kind) });
  await run("keys", "allow", customer.keyId, "method=eth_chainId");
  await Promise.all([
    expect
      .poll(() => errors(80), within(KEY_MS))
      .toEqual([forbidden("method"), forbidden("method")]),
    expect
      .poll(() => sockets.errors(), within(KEY_MS))
      .toEqual([forbidden("method"), forbidden("method")]),
  ]);
  expect(await statuses()).toEqual([200, 200]);
  await run("keys", "allow", customer.keyId, "ip=192.0.2.1");
  await Promise.all([
    expect.poll(() => errors(5), within(KEY_MS)).toEqual([forbidden("IP"), forbidden("IP")]),
    expect.poll(sockets.codesSoFar, within(KEY_MS)).toEqual([4403, 4403]),
  ]);
  await run("keys", "allow", customer.keyId, "ip=192.0.2.1", "method=eth_chainId", "--remove");
  await expect.poll(() => statuses(), within(KEY_MS)).toEqual([200, 200]);
});

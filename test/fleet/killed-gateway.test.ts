import { setTimeout } from "node:timers/promises";
import { expect, type TestContext, test } from "vitest";
import { startCountingNode } from "../credits/calls.ts";
import { newSchema, sharedPostgres } from "../support/postgres.ts";
import { openWorkplace, type Workplace } from "../support/started-gateway.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { Calls, type Customer, customer, PRICE, usedOf } from "./steady-calls.ts";

/** A lease may be as much as 1 % of the day. */
const PLANS = { steady: { dailyCredits: 10_000_000, creditsPerSecond: 10_000 } };
const CALLS_A_SECOND = 50;
/** A tenth of a second, in whole calls, and a call in the air. */
const MOST_LOST = (CALLS_A_SECOND / 10 + 2) * PRICE;
/** Once nobody calls any more `used` is exact after so long. */
const SETTLED_MS = 2500;

type Place = { readonly workplace: Workplace; readonly isAway: (away: boolean) => void };

/** Until the test has ended. */
async function place(storage: object, { onTestFinished }: TestContext): Promise<Place> {
  const node = await startCountingNode();
  const database = new URL(await sharedPostgres());
  const proxy = await startTcpProxy(Number(database.port));
  database.port = String(proxy.port);
  const upstreams = [{ name: "node", url: node.url }];
  const workplace = await openWorkplace({
    server: { port: 0 },
    admin: { port: 0 },
    storage: { url: database.href, schema: newSchema(), statementTimeoutMs: 1000, ...storage },
    plans: PLANS,
    networks: [{ name: "node", family: "evm", chainId: 1, upstreams }],
  });
  onTestFinished(async () => {
    await workplace.clear();
    await proxy.stop();
    await node.stop();
  });
  return { workplace, isAway: (away) => proxy.set(away ? "closed" : "open") };
}

type Loss = { readonly served: number; readonly used: number; readonly of: Customer };

/** Calls for two seconds, and a kill while a call is in the air. */
async function killMeanwhile(
  { workplace, isAway }: Place,
  { whileAway = false }: { readonly whileAway?: boolean } = {},
): Promise<{ readonly of: Customer; readonly calls: Calls }> {
  const of = await customer(workplace, { name: "steady", plan: "steady" });
  const gateway = await workplace.start();
  const calls = new Calls(gateway);
  await calls.during(of, { seconds: 2, callsASecond: CALLS_A_SECOND });
  isAway(whileAway);
  await calls.during(of, { seconds: 0.5, callsASecond: CALLS_A_SECOND });
  gateway.process.kill("SIGKILL");
  await gateway.process.ended;
  return { of, calls };
}

async function settled(
  { workplace, isAway }: Place,
  { of, calls }: { readonly of: Customer; readonly calls: Calls },
): Promise<Loss> {
  isAway(false);
  await setTimeout(SETTLED_MS);
  return { of, served: calls.served, used: await usedOf(workplace, of) };
}

function expectLittleLost({ served, used }: Loss): void {
  expect(used).toBeGreaterThanOrEqual(served);
  expect(used - served).toBeLessThanOrEqual(MOST_LOST);
}

test.concurrent("without a journal a gateway that is killed leaves what it had leased charged", async (context) => {
  const at = await place({}, context);
  const killed = await killMeanwhile(at);
  await at.workplace.start();
  const { used, served } = await settled(at, killed);
  expect(used - served).toBeGreaterThan(MOST_LOST);
});

test.concurrent("a gateway that is killed costs a tenth of a second of spending, once it has started again with its journal", async (context) => {
  const at = await place({ journal: "./leases" }, context);
  const killed = await killMeanwhile(at);
  const again = await at.workplace.start();
  await again.process.says(/"leases":\d+,"msg":"gave back what killed processes had leased"/);
  expectLittleLost(await settled(at, killed));
  // Nothing is given back twice: what it spends now is charged on top.
  const calls = new Calls(again);
  await calls.during(killed.of, { seconds: 1, callsASecond: CALLS_A_SECOND });
  again.process.kill("SIGKILL");
  await again.process.ended;
  await at.workplace.start();
  const { served, used } = await settled(at, { of: killed.of, calls });
  const both = killed.calls.served + served;
  expect(used).toBeGreaterThanOrEqual(both);
  expect(used - both).toBeLessThanOrEqual(2 * MOST_LOST);
});

test.concurrent("leases of a gateway that is killed while the database is away go back when both are there again", async (context) => {
  const at = await place({ journal: "./leases" }, context);
  const killed = await killMeanwhile(at, { whileAway: true });
  const starting = at.workplace.start();
  await setTimeout(500);
  at.isAway(false);
  await starting;
  expectLittleLost(await settled(at, killed));
});

test.concurrent("two gateways of one folder keep a journal each, and one takes over from the other that was killed", async (context) => {
  const at = await place({ journal: "./leases" }, context);
  const other = await at.workplace.start();
  const killed = await killMeanwhile(at);
  // The one that lives has its own file still, and goes on.
  const calls = new Calls(other);
  const next = await at.workplace.start();
  await next.process.says(/gave back what killed processes had leased/);
  await calls.during(killed.of, { seconds: 1, callsASecond: CALLS_A_SECOND });
  const { served, used } = await settled(at, { of: killed.of, calls });
  const both = killed.calls.served + served;
  expect(used).toBeGreaterThanOrEqual(both);
  expect(used - both).toBeLessThanOrEqual(MOST_LOST);
});

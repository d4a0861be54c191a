import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Ledger } from "../../src/credits/ledger.ts";
import { systemScheduler } from "../../src/credits/scheduler.ts";
import { dayOf } from "../../src/lib/day.ts";
import { openPostgres } from "../../src/storage/postgres/client.ts";
import type { Storage } from "../../src/storage/store.ts";
import { newSchema, sharedPostgres } from "../support/postgres.ts";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";

const PLANS = { team: { dailyCredits: 75_000_000, creditsPerSecond: 400_000, failover: false } };
const NONE = { creditsPerDay: null, creditsPerSecond: null };
const ACCOUNTS = ["acc_1", "acc_2", "acc_3"];
const GATEWAYS = 2;
const FAULTS_MS = 4000;

let url: URL;
let direct: Storage;
const schema = newSchema();
beforeAll(async () => {
  url = new URL(await sharedPostgres());
  direct = await openPostgres({ url: url.href, schema });
});
afterAll(() => direct.close());

type Gateway = {
  readonly ledger: Ledger;
  readonly proxy: TcpProxy;
  readonly stop: () => Promise<void>;
};

async function startGateway(name: string): Promise<Gateway> {
  const proxy = await startTcpProxy(Number(url.port));
  const through = new URL(url);
  through.port = String(proxy.port);
  through.searchParams.set("connect_timeout", "1");
  const settings = { url: through.href, schema, poolSize: 4, statementTimeoutMs: 300 };
  const storage = await openPostgres(settings);
  const ledger = new Ledger(
    { plans: PLANS, process: name },
    { store: storage.ledger, scheduler: systemScheduler, onStoreFailure: () => undefined },
  );
  ledger.start();
  const stop = async () => {
    await ledger.stop();
    await storage.close();
    await proxy.stop();
  };
  return { ledger, proxy, stop };
}

/** What it is served until told to stop, by account. */
async function spend({ ledger }: Gateway, isOver: () => boolean): Promise<Map<string, number>> {
  const served = new Map<string, number>();
  for (let call = 0; !isOver(); call += 1) {
    const accountId = ACCOUNTS[call % ACCOUNTS.length] ?? "";
    const credits = 80 + (call % 5) * 100;
    const limits = { accountLimits: NONE, keyLimits: NONE };
    const identity = { keyId: "key", accountId, plan: "team", ...limits };
    const outcome = await new Promise<ReturnType<Ledger["admit"]>>((resolve) => {
      const now = ledger.admit(identity, credits, { admitted: resolve });
      if (now !== "waiting") resolve(now);
    });
    if (typeof outcome === "object" && !("kind" in outcome)) {
      // One in seven ends free.
      const isServed = call % 7 > 0;
      ledger.settle(outcome, isServed);
      if (isServed) served.set(accountId, (served.get(accountId) ?? 0) + credits);
    }
    await setTimeout(1);
  }
  return served;
}

/** Cuts connections, loses answers and passes nothing on, for a while. */
async function disturb({ proxy }: Gateway, seed: number): Promise<number> {
  const endMs = performance.now() + FAULTS_MS;
  let lost = 0;
  for (const kind of fc.sample(fc.nat({ max: 3 }), { seed, numRuns: 1000 })) {
    if (performance.now() > endMs) break;
    if (kind === 0) proxy.cut();
    if (kind === 1) {
      // Whatever the server says next: a statement was carried out, and nobody hears of it.
      void proxy.loseAnswer((bytes) => bytes.includes("SELECT 1")).then(() => (lost += 1));
    }
    if (kind === 2) {
      proxy.set("hole");
      await setTimeout(400);
      proxy.set("open");
    }
    // Time for statements to be sent, and to be answered.
    await setTimeout(60);
  }
  return lost;
}

test("whatever a network cuts, loses and holds up, what is charged is what was served, to the credit", async () => {
  const gateways = await Promise.all(
    Array.from({ length: GATEWAYS }, (_, number) => startGateway(`gateway ${number}`)),
  );
  let isOver = false;
  const spending = gateways.map((gateway) => spend(gateway, () => isOver));
  const lost = await Promise.all(gateways.map((gateway, seed) => disturb(gateway, seed)));
  expect(Math.min(...lost)).toBeGreaterThan(0);
  // Connections that were begun while nothing came through are given up.
  await setTimeout(1500);
  isOver = true;
  const served = await Promise.all(spending);
  await Promise.all(gateways.map(({ stop }) => stop()));
  const day = dayOf(Date.now());
  for (const account of ACCOUNTS) {
    const sum = served.reduce((all, each) => all + (each.get(account) ?? 0), 0);
    expect(sum).toBeGreaterThan(0);
    const { used } = await direct.ledger.read(account, day);
    const yesterday = await direct.ledger.read(account, day - 1);
    expect(used + yesterday.used, account).toBe(sum);
  }
});

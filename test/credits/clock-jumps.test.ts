import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ask } from "../http/ask.ts";
import { openWorkplace, type Started, type Workplace } from "../support/started-gateway.ts";
import { ON_POSTGRES, testStorage } from "../support/test-storage.ts";
import { recordKey, temporaryFolder } from "../support/written.ts";
import { type CountingNode, type Price, questionOf, startCountingNode, textOf } from "./calls.ts";
import type { Usage } from "./two-gateways.ts";

const DAY_MS = 86_400_000;
const BALANCE = 20_000;
const email = "ada@example.com";
const SOON = { timeout: 8000, interval: 100 };

let node: CountingNode;
let place: Workplace;
let clockFile: string;

beforeEach(async () => {
  clockFile = join(temporaryFolder("clock"), "ahead");
  setClock(0);
  node = await startCountingNode();
});
afterEach(async () => {
  await place.clear();
  await node.stop();
});

/** Of the commands and gateways, from the real one. */
function setClock(aheadDays: number): void {
  writeFileSync(clockFile, String(aheadDays * DAY_MS));
}

async function open(workers?: number): Promise<string> {
  const upstreams = [{ name: "node", url: node.url }];
  const config = {
    server: { port: 0, ...(workers && { workers }) },
    admin: { port: 0 },
    storage: await testStorage("sqlite:./tollgate.db"),
    plans: { day: { dailyCredits: BALANCE, creditsPerSecond: 10 * BALANCE } },
    networks: [{ name: "node", family: "evm", chainId: 1, upstreams }],
  };
  const preload = new URL("../support/shifted-clock.ts", import.meta.url);
  preload.searchParams.set("file", clockFile);
  place = await openWorkplace(config, { preload });
  await place.json("accounts", "create", email, "--plan", "day");
  return (await createKey()).key;
}

async function createKey(): Promise<{ id: string; key: string }> {
  const made = await place.json("keys", "create", "--account", email, "--name", "test");
  const { id, key } = made as { id: string; key: string };
  recordKey(key);
  return { id, key };
}

/** Sets the clock of a running gateway, and waits until all its workers have seen that; free calls. */
async function jump({ port }: Started, key: string, aheadDays: number): Promise<void> {
  setClock(aheadDays);
  const day = new Date(Date.now() + aheadDays * DAY_MS).toISOString().slice(0, 10);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tollgate_usage", params: [] });
  let seen = 0;
  const isSeen = async () => {
    const { text } = await ask(port, { target: `/node/v3/${key}`, body });
    seen = text.includes(`"day":"${day}"`) ? seen + 1 : 0;
    return seen >= 5;
  };
  await expect.poll(isSeen, { timeout: 5000, interval: 30 }).toBe(true);
}

async function call({ port }: Started, key: string, price: Price = 80) {
  const body = textOf([questionOf(price)]);
  const { status, headers } = await ask(port, { target: `/node/v3/${key}`, body });
  return { status, remaining: Number(headers["x-credits-remaining"]) };
}

/**
 * Calls until they are refused for the balance: what was served, credits. PostgreSQL's clock does not jump: there a
 * process may have to wait for the throughput that was drawn before.
 */
async function spendAll(gateway: Started, key: string): Promise<number> {
  let served = 0;
  for (const price of [1000, 80, 5] as const) {
    for (;;) {
      const { status } = await call(gateway, key, price);
      if (ON_POSTGRES && status === 429) {
        await setTimeout(50);
        continue;
      }
      if (status !== 200) {
        expect(status).toBe(402);
        break;
      }
      served += price;
    }
  }
  return served;
}

/** Of the day that the commands take for today; it is exact once leases have gone back. */
async function usage(): Promise<Pick<Usage, "used" | "left">> {
  const { used, left } = (await place.json("usage", "--account", email)) as Usage;
  return { used, left };
}

test("after a clock that was 400 days ahead calls are paid from the real day, after a restart too", async () => {
  const key = await open();
  let gateway = await place.start();
  expect(await call(gateway, key, 1000)).toMatchObject({ status: 200 });
  await jump(gateway, key, 400);
  expect(await call(gateway, key)).toEqual({ status: 200, remaining: BALANCE - 80 });
  await jump(gateway, key, 0);
  const left = BALANCE - 1005;
  expect(await call(gateway, key, 5)).toEqual({ status: 200, remaining: left });
  await expect.poll(usage, SOON).toEqual({ used: 1005, left });
  gateway.process.kill("SIGTERM");
  await gateway.process.ended;
  gateway = await place.start();
  expect(await call(gateway, key, 5)).toEqual({ status: 200, remaining: left - 5 });
  expect(await spendAll(gateway, key)).toBe(left - 5);
  await expect.poll(usage, SOON).toEqual({ used: BALANCE, left: 0 });
});

test("a process that started while the clock was wrong pays from the real day once it is right", async () => {
  setClock(400);
  const key = await open();
  const gateway = await place.start();
  expect(await spendAll(gateway, key)).toBe(BALANCE);
  await jump(gateway, key, 0);
  expect(await call(gateway, key, 5)).toEqual({ status: 200, remaining: BALANCE - 5 });
  await expect.poll(usage, SOON).toEqual({ used: 5, left: BALANCE - 5 });
  expect(await spendAll(gateway, key)).toBe(BALANCE - 5);
});

test.each([[undefined], [2]])(
  "however the clock jumps, one balance more than the real day's is served, and that day keeps its own (workers: %s)",
  async (workers) => {
    const key = await open(workers);
    const gateway = await place.start();
    expect(await call(gateway, key, 1000)).toMatchObject({ status: 200 });
    let served = 0;
    for (const days of [400, -3, 1, 30, 400, 2]) {
      await jump(gateway, key, days);
      served += (await call(gateway, key, 1000)).status === 200 ? 1000 : 0;
    }
    expect(served).toBe(6000);
    for (const days of [7, 400, 1]) {
      await jump(gateway, key, days);
      served += await spendAll(gateway, key);
    }
    expect(served).toBeLessThanOrEqual(BALANCE);
    expect(served).toBeGreaterThan(BALANCE * 0.9);
    await jump(gateway, key, 0);
    expect(await call(gateway, key, 5)).toEqual({ status: 200, remaining: BALANCE - 1005 });
    const left = BALANCE - 1005;
    await expect.poll(usage, SOON).toEqual({ used: 1005, left });
    expect(await spendAll(gateway, key)).toBeGreaterThan(left * 0.9);
  },
);

test("a repair forgets what a wrong clock used of later days, of keys too, while the gateway runs", async () => {
  setClock(1);
  const key = await open();
  const limited = await createKey();
  await place.json("keys", "limit", limited.id, "--daily", "3000");
  const gateway = await place.start();
  for (let each = 0; each < 3; each += 1) await call(gateway, limited.key, 1000);
  expect(await spendAll(gateway, key)).toBe(BALANCE - 3000);
  await jump(gateway, key, 0);
  const { forgotten } = (await place.json("accounts", "repair", email)) as { forgotten: object[] };
  expect(forgotten).toHaveLength(2);
  expect(forgotten).toContainEqual(expect.objectContaining({ used: BALANCE }));
  expect(forgotten).toContainEqual(expect.objectContaining({ owner: limited.id, used: 3000 }));
  // The next day comes.
  await jump(gateway, key, 1);
  expect(await call(gateway, key, 5)).toEqual({ status: 200, remaining: BALANCE - 5 });
  expect(await call(gateway, limited.key, 1000)).toMatchObject({ status: 200 });
  await expect.poll(usage, SOON).toMatchObject({ used: 1005 });
});

import { execFileSync } from "node:child_process";
import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { ask } from "../http/ask.ts";
import { openWorkplace, type Started, type Workplace } from "../support/started-gateway.ts";
import { PRICE, startCallers } from "./callers.ts";

const DAILY = 10_000;
const SERVES_WITHIN_MS = 2000;
const preload = new URL("../support/thread-deaths.ts", import.meta.url);

const CONFIG = {
  server: { port: 0 },
  admin: { port: 0 },
  storage: { url: "sqlite:./tollgate.db" },
  plans: { small: { dailyCredits: DAILY, creditsPerSecond: 1_000_000 } },
  networks: [
    {
      name: "net",
      family: "evm",
      chainId: 1,
      upstreams: [{ name: "node", url: "http://127.0.0.1:9" }],
    },
  ],
};

let workplace: Workplace;
let key: string;
let gateway: Started;
beforeAll(async () => {
  workplace = await openWorkplace(CONFIG);
  await workplace.json("accounts", "create", "ada@example.com", "--plan", "small");
  const named = ["--account", "ada@example.com", "--name", "laptop"];
  key = ((await workplace.json("keys", "create", ...named)) as { key: string }).key;
  gateway = await workplace.start({ preload });
});
afterAll(() => workplace?.clear());

const deathsTold = (): number => gateway.process.output().split("thread has ended").length - 1;

/** What the storage itself knows of the day. @throws where it does not answer */
const used = async (): Promise<number> => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"tollgate_usage"}';
  const { text } = await ask(gateway.port, { target: `/net/v3/${key}`, body });
  expect(text).toContain('"result"');
  return (JSON.parse(text) as { result: { used: number } }).result.used;
};

test("while its storage's thread dies again and again, a gateway serves on within 2 s, and no more than the balance", async () => {
  const callers = startCallers({ port: gateway.port, key }, 2);
  // Calls go there from half a second after the start on.
  await pause(700);
  for (let death = 1; death <= 4; death += 1) {
    gateway.process.kill("SIGUSR2");
    await vi.waitFor(() => expect(deathsTold()).toBe(death), { timeout: 5000, interval: 5 });
    await vi.waitFor(used, { timeout: SERVES_WITHIN_MS, interval: 5 });
    const before = callers.served();
    // More than the lease that was open.
    await vi.waitFor(() => expect(callers.served()).toBeGreaterThan(before + 50), {
      timeout: 5000,
      interval: 5,
    });
  }
  // To the end of the balance.
  await vi.waitFor(() => expect(callers.answers.at(-1)?.status).toBe(402), {
    timeout: 20_000,
    interval: 20,
  });
  await callers.end();
  expect(callers.served() * PRICE).toBeLessThanOrEqual(DAILY);
  // What was on its way at a death is found out, and goes back.
  await expect.poll(used).toBe(callers.served() * PRICE);
  expect((await fetch(`${gateway.admin}/healthz`)).status).toBe(200);
});

test("/healthz fails while no thread can be begun, and is well again when one can", async () => {
  // New connections need files too: one that is open stays.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const page = (path: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const asked = request(`${gateway.admin}${path}`, { agent }, (response) => {
        response.resume().once("end", () => resolve(response.statusCode));
      });
      asked.once("error", reject).end();
    });
  const limitFiles = (most: number) =>
    execFileSync("prlimit", ["--pid", String(gateway.process.pid), `--nofile=${most}:`]);
  expect(await page("/healthz")).toBe(200);
  limitFiles(3);
  gateway.process.kill("SIGUSR2");
  await vi.waitFor(async () => expect(await page("/readyz")).toBe(503), { interval: 20 });
  expect(await page("/healthz")).toBe(200);
  await vi.waitFor(async () => expect(await page("/healthz")).toBe(503), {
    timeout: 25_000,
    interval: 50,
  });
  limitFiles(1024);
  await vi.waitFor(async () => expect(await page("/healthz")).toBe(200), {
    timeout: SERVES_WITHIN_MS,
    interval: 20,
  });
  agent.destroy();
});

test("a worker whose storage's thread cannot be begun again ends, and is replaced", async () => {
  const pool = await openWorkplace({ ...CONFIG, server: { port: 0, workers: 2 } });
  onTestFinished(pool.clear);
  const shared = await pool.start({ preload });
  const [, pid = ""] = await shared.process.says(/"worker":1,"pid":(\d+),"msg":"worker serves"/);
  // Until its storage has a thread.
  await pause(1500);
  execFileSync("prlimit", ["--pid", pid, "--nofile=3:"]);
  process.kill(Number(pid), "SIGUSR2");
  await shared.process.says(new RegExp(`"worker":1,"pid":${pid},[^\\n]*"msg":"worker ended"`));
  await shared.process.says(/"worker ended"[\s\S]*"worker":1,"pid":\d+,"msg":"worker serves"/);
}, 60_000);

import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Browser } from "../console/support/browser.ts";
import { childrenOf } from "../support/child-processes.ts";
import { isAlive } from "../support/shell.ts";
import { contentsOf } from "../support/started-gateway.ts";
import { startTollgate, type TollgateProcess } from "../support/tollgate-process.ts";
import { temporaryFolder } from "../support/written.ts";

/** The port that `dev` wants first; taken, by this test or by whoever has it already. */
const WANTED_PORT = 8545;

let occupant: Server;
beforeAll(async () => {
  occupant = createServer().on("error", () => undefined);
  occupant.listen(WANTED_PORT, "127.0.0.1");
  await Promise.race([once(occupant, "listening").catch(() => undefined), afterTurn()]);
});
afterAll(() => void occupant.close());

const afterTurn = () => new Promise((resolve) => setTimeout(resolve, 200));

const running: TollgateProcess[] = [];
afterEach(async () => {
  for (const { kill, ended } of running.splice(0)) {
    kill("SIGKILL");
    await ended;
  }
});

type Dev = {
  readonly process: TollgateProcess;
  readonly url: string;
  readonly port: number;
  readonly key: string;
  /** The chain's and the dashboard's processes. */
  readonly children: readonly number[];
  readonly nodePids: readonly number[];
  readonly dashboard: string;
  readonly link: string;
};

async function startDev(...args: string[]): Promise<Dev> {
  const process = startTollgate(["dev", ...args]);
  running.push(process);
  await process.says(/"msg":"serving; Ctrl-C ends everything"/);
  const [, url = "", port = "", key = ""] = await process.says(
    /^HTTP +(http:\/\/127\.0\.0\.1:(\d+)\/dev\/v3\/(tg_\w+))$/m,
  );
  const children = childrenOf(process.pid);
  const nodePids = children.filter((pid) => commandOf(pid).includes("anvil"));
  const [, dashboard = ""] = await process.says(/^Dashboard +(http:\/\/localhost:\d+)$/m);
  const [, link = ""] = await process.says(/^Sign in +(http:\/\/\S+)$/m);
  return { process, url, port: Number(port), key, children, nodePids, dashboard, link };
}

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, "utf8");

async function call(url: string, method: string, params: unknown[] = []): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body });
  return response.json();
}

describe.each(["SIGINT", "SIGTERM"] as const)("dev, ended by %s", (signal) => {
  test("moves to the next free port, and leaves nothing behind: no process, no port", async () => {
    const dev = await startDev();
    expect(dev.port).toBeGreaterThan(WANTED_PORT);
    expect(await call(dev.url, "eth_chainId")).toMatchObject({ result: "0x7a69" });
    if (existsSync("/proc/self/task")) {
      expect([dev.nodePids.length, dev.children.length]).toEqual([1, 2]);
    }

    const idle = fetch(dev.url, { method: "POST", body: null });
    await idle;
    dev.process.kill(signal);
    expect(await dev.process.ended).toMatchObject({ code: 0, stderr: "" });
    expect(dev.children.filter(isAlive)).toEqual([]);
    // The dev of another test may have the port by now; it does not know this key.
    const answer = await call(dev.url, "eth_chainId").catch(() => ({}));
    expect(answer).not.toHaveProperty("result");
  });
});

test("the printed link signs the demo account in, once, to charts of calls that dev makes itself", async () => {
  const dev = await startDev();
  const browser = new Browser(dev.dashboard, dev.dashboard);
  await browser.get(dev.link);
  const me = (await browser.get("/api/me")).json as { accounts: { id: string }[] };
  expect(me).toMatchObject({
    user: { email: "demo@example.com", name: "demo" },
    operator: true,
    accounts: [{ email: "demo@example.com", role: "owner" }],
  });
  const again = new Browser(dev.dashboard, dev.dashboard);
  await again.get(dev.link);
  expect((await again.get("/api/me")).status).toBe(401);

  const account = `/api/accounts/${me.accounts[0]?.id}`;
  const keys = (await browser.get(`${account}/keys`)).json as { items: { name: string }[] };
  expect(keys.items.map(({ name }) => name).toSorted()).toEqual(["demo traffic", "dev"]);
  await expect
    .poll(
      async () => {
        const table = (await browser.get(`${account}/usage/table?range=15m`)).json as {
          rows: { network: string; ok: number }[];
        };
        return new Set(table.rows.filter(({ ok }) => ok > 0).map(({ network }) => network));
      },
      { timeout: 15_000 },
    )
    .toEqual(new Set(["dev", "dev-slots"]));
  // What nobody asked for says nothing in the log.
  expect(dev.process.output()).not.toContain("credits of today");

  await browser.post("/api/auth/request-password-reset", { email: "demo@example.com" });
  const mail =
    /^Mail to demo@example.com: Set a new password - Tollgate\n {2}(http:\S+\/reset\?token=\S+)$/m;
  const [, link = ""] = await dev.process.says(mail);
  expect(link.startsWith(dev.dashboard)).toBe(true);
});

test("dev prints what runs before any line of its log, and the link that signs in last", async () => {
  const dev = await startDev();
  const lines = dev.process.output().split("\n");
  const link = lines.findIndex((line) => line.startsWith("Sign in "));
  expect(lines.findIndex((line) => line.startsWith("{"))).toBe(link + 1);
});

test("dev --examples prints more calls, and then what runs", async () => {
  const dev = await startDev("--examples");
  const lines = dev.process.output().split("\n");
  const calls = lines.filter((line) => line.startsWith("curl "));
  const bodies = calls.map((line) => JSON.parse(/ -d '(.+)'$/.exec(line)?.[1] ?? ""));
  const methods = new Set(bodies.map(({ method }) => method));
  expect([...methods]).toEqual(
    expect.arrayContaining([
      "eth_call",
      "eth_getUncleByBlockHashAndIndex",
      "tollgate_usage",
      "getSlot",
      "getBlock",
      "getTransaction",
    ]),
  );
  const link = lines.findIndex((line) => line.startsWith("Sign in "));
  expect(lines.findLastIndex((line) => line.startsWith("curl "))).toBeLessThan(link);
});

test("the nodes of the demo are two: with one drained the other answers", async () => {
  const dev = await startDev();
  const [, admin = ""] = await dev.process.says(/^Admin +(http:\S+)\/metrics$/m);
  const drained = await fetch(`${admin}/networks/dev/upstreams/anvil/drain`, { method: "POST" });
  expect(drained.status).toBe(200);
  expect(await call(dev.url, "eth_chainId")).toMatchObject({ result: "0x7a69" });
  expect(await call(dev.url, "eth_getBlockByNumber", ["0x2", false])).toMatchObject({
    result: { number: "0x2" },
  });
});

test("dev does not outlive its chain", async () => {
  const dev = await startDev();
  const [pid] = dev.nodePids;
  if (pid === undefined) return;
  process.kill(pid, "SIGKILL");
  expect((await dev.process.ended).stdout).toContain('"msg":"stopping"');
});

test("dev --data keeps the chain and the account, and no key in clear", async () => {
  const data = join(temporaryFolder("dev"), "data");
  const first = await startDev("--data", data);
  const block = (await call(first.url, "eth_getBlockByNumber", ["0x2", false])) as object;
  expect(block).toMatchObject({ result: { number: "0x2" } });
  const browser = new Browser(first.dashboard, first.dashboard);
  await browser.get(first.link);
  const sessionOf = async ({ dashboard }: Dev) => {
    const later = new Browser(dashboard, dashboard);
    for (const [name, value] of browser.cookies) later.cookies.set(name, value);
    return (await later.get("/api/me")).status;
  };
  first.process.kill("SIGTERM");
  expect((await first.process.ended).code).toBe(0);

  const second = await startDev("--data", data);
  expect(await sessionOf(second)).toBe(200);
  expect(await call(second.url, "eth_getBlockByNumber", ["0x2", false])).toEqual(block);
  expect(second.key).not.toBe(first.key);
  expect(await call(second.url.replace(second.key, first.key), "eth_chainId")).toMatchObject({
    error: { code: 401 },
  });
  second.process.kill("SIGINT");
  expect((await second.process.ended).code).toBe(0);

  const kept = await contentsOf(data);
  expect(kept).toContain("demo@example.com");
  for (const { key, process } of [first, second]) {
    expect(kept).not.toContain(key);
    const log = process
      .output()
      .split("\n")
      .filter((line) => line.startsWith("{"));
    expect(log.length).toBeGreaterThan(1);
    expect(log.join("\n")).not.toContain(key);
  }
});

import { hostname } from "node:os";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FleetOverview } from "../../src/fleet/gateways.ts";
import { ownVersion } from "../../src/lib/own-files.ts";
import { Browser } from "../console/support/browser.ts";
import { SECRET } from "../console/support/test-console.ts";
import { type CountingNode, startCountingNode } from "../credits/calls.ts";
import { ask } from "../http/ask.ts";
import { freePort } from "../support/free-port.ts";
import { newSchema, sharedPostgres } from "../support/postgres.ts";
import { openWorkplace, type Started, type Workplace } from "../support/started-gateway.ts";
import { recordKey } from "../support/written.ts";

const FELT_WITHIN_MS = 1000;
/** After which a gateway that was killed is no longer listed, and what looking takes. */
const GONE_WITHIN_MS = 13_000;
const BALANCE = 80_000;
const PRICE = 80;

let node: CountingNode;
const machines: Workplace[] = [];
const gateways: Started[] = [];
let dashboards: readonly number[] = [];

/** Three machines, each with a folder and a file of its own, on one database; two have a dashboard. */
beforeAll(async () => {
  node = await startCountingNode();
  dashboards = [await freePort(), await freePort()];
  const publicUrl = `http://localhost:${dashboards[0]}`;
  const storage = { url: await sharedPostgres(), schema: newSchema(), poolSize: 4 };
  for (let number = 0; number < 3; number += 1) {
    const port = dashboards[number];
    const machine = await openWorkplace({
      server: { port: 0, ...(number === 2 && { workers: 2 }) },
      admin: { port: 0 },
      ...(port && { console: { port, publicUrl, signup: "closed", secret: SECRET } }),
      storage,
      plans: { day: { dailyCredits: BALANCE, creditsPerSecond: 10 * BALANCE } },
      networks: [
        { name: "node", family: "evm", chainId: 1, upstreams: [{ name: "node", url: node.url }] },
      ],
    });
    machines.push(machine);
  }
  // All at once, on a database without tables.
  gateways.push(...(await Promise.all(machines.map((machine) => machine.start()))));
});
afterAll(async () => {
  await Promise.all(machines.map((machine) => machine.clear()));
  await node?.stop();
});

let customers = 0;
async function customer() {
  customers += 1;
  const email = `customer-${customers}@example.com`;
  const [first, second] = machines;
  await first?.json("accounts", "create", email, "--plan", "day");
  const made = await second?.json("keys", "create", "--account", email, "--name", "a");
  const { id = "", key = "" } = (made ?? {}) as { id?: string; key?: string };
  recordKey(key);
  return { email, id, key };
}

let addresses = 0;

/** Each asks for something else: what is kept is answered while no node is asked. */
async function call(gateway: Started | undefined, key: string): Promise<number> {
  addresses += 1;
  const params = [`0x${String(addresses).padStart(40, "0")}`, "latest"];
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBalance", params });
  return (await ask(gateway?.port ?? 0, { target: `/node/v3/${key}`, body })).status;
}

test("a key of one machine is good on all, and what all served is the balance, to the credit", async () => {
  const { email, key } = await customer();
  const served = new Array<number>(gateways.length).fill(0);
  await Promise.all(
    gateways.map(async (gateway, index) => {
      for (let status = 200; status === 200; ) {
        status = await call(gateway, key);
        if (status === 200) served[index] = (served[index] ?? 0) + 1;
        else expect(status).toBe(402);
      }
    }),
  );
  // What one had left when another was refused goes back within a second, and can be spent.
  await expect
    .poll(async () => {
      const status = await call(gateways[0], key);
      if (status === 200) served[0] = (served[0] ?? 0) + 1;
      return served.reduce((sum, each) => sum + each, 0) * PRICE;
    })
    .toBe(BALANCE);
  expect(Math.min(...served)).toBeGreaterThan(0);
  expect(await call(gateways[1], key)).toBe(402);
  const told = { limit: BALANCE, used: BALANCE, left: 0 };
  const usage = () => machines[1]?.json("usage", "--account", email);
  // What was leased when it was told last is not shown for two seconds; a command takes one.
  await expect.poll(usage, { timeout: 6000 }).toMatchObject(told);
});

test("a key that one machine revokes is refused by all within a second", async () => {
  const { id, key } = await customer();
  for (const gateway of gateways) expect(await call(gateway, key)).toBe(200);
  await machines[0]?.json("keys", "revoke", id);
  const revokedAtMs = performance.now();
  for (const gateway of gateways) {
    await expect.poll(() => call(gateway, key), { interval: 10 }).not.toBe(200);
  }
  expect(performance.now() - revokedAtMs).toBeLessThan(FELT_WITHIN_MS);
});

test("whom a command of one machine gave a link is signed in at the dashboards of both", async () => {
  const { email } = await customer();
  for (const gateway of gateways.slice(0, 2)) await gateway.process.says(/"dashboard serves"/);
  const made = await machines[1]?.json("accounts", "link", email);
  const { url = "" } = (made ?? {}) as { url?: string };
  const { origin } = new URL(url);
  const [first, second] = dashboards.map((port) => new Browser(origin, `http://127.0.0.1:${port}`));
  expect((await second?.get("/api/me"))?.status).toBe(401);
  await first?.get(url);
  for (const [name, value] of first?.cookies ?? []) second?.cookies.set(name, value);
  for (const person of [first, second]) {
    expect((await person?.get("/api/me"))?.json).toMatchObject({ user: { email } });
  }
});

/** What a gateway's admin port says of the fleet. */
async function fleetOf({ adminPort }: Started) {
  const { text } = await ask(adminPort, { method: "GET", target: "/fleet" });
  const { gateways: all, differ } = JSON.parse(text) as FleetOverview;
  expect(differ).toEqual([]);
  return all;
}

const namesAt = async (gateway: Started) => (await fleetOf(gateway)).map(({ name }) => name).sort();
const namesOf = (all: readonly Started[]) => all.map(({ port }) => `${hostname()}:${port}`).sort();

test("each gateway lists all, workers as one; one that is killed is gone after ten seconds", async () => {
  const [first, , third] = gateways;
  const fourth = await machines[2]?.start();
  if (first === undefined || third === undefined || fourth === undefined)
    throw new Error("all run");
  for (const gateway of [first, third]) {
    await expect.poll(() => namesAt(gateway)).toEqual(namesOf([...gateways, fourth]));
  }
  // A head is told three seconds after the start where it was not known at first.
  const heads = async () => (await fleetOf(first)).map(({ networks }) => networks);
  const known = [{ name: "node", head: expect.any(Number) }];
  await expect.poll(heads, { timeout: 5000 }).toEqual([known, known, known, known]);
  for (const { version, startedAt } of await fleetOf(first)) {
    expect(version).toBe(ownVersion());
    expect(Date.now() - Date.parse(startedAt)).toBeLessThan(600_000);
  }
  fourth.process.kill("SIGKILL");
  await fourth.process.ended;
  expect(await namesAt(first)).toEqual(namesOf([...gateways, fourth]));
  await expect.poll(() => namesAt(third), { timeout: GONE_WITHIN_MS }).toEqual(namesOf(gateways));
}, 30_000);

test("what an operator drains at one gateway is drained at all within a second, and where one starts again", async () => {
  const { key } = await customer();
  const [first] = gateways;
  const turn = async (action: string) => {
    const target = `/networks/node/upstreams/node/${action}`;
    const { text } = await ask(first?.adminPort ?? 0, { method: "POST", target, body: "" });
    return JSON.parse(text) as unknown;
  };
  const drained = { network: "node", upstream: "node", drained: true };
  expect(await turn("drain")).toEqual(drained);
  const drainedAtMs = performance.now();
  for (const gateway of gateways) {
    await expect.poll(() => call(gateway, key), { interval: 10 }).toBe(503);
  }
  expect(performance.now() - drainedAtMs).toBeLessThan(FELT_WITHIN_MS);
  const again = await machines[2]?.start();
  expect(await call(again, key)).toBe(503);
  expect(await turn("enable")).toEqual({ ...drained, drained: false });
  for (const gateway of [...gateways, again]) {
    await expect.poll(() => call(gateway, key), { interval: 10 }).toBe(200);
  }
  again?.process.kill("SIGTERM");
  expect(await again?.process.ended).toMatchObject({ code: 0 });
  expect(await namesAt(gateways[2] as Started)).toEqual(namesOf(gateways));
}, 30_000);

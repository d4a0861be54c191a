import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStorage } from "../../src/storage/open.ts";
import type { Storage } from "../../src/storage/store.ts";
import { type ChainPair, startChainPair } from "../support/chain-pair.ts";
import { type FaultProxy, startFaultProxy } from "../support/fault-proxy.ts";
import { openWorkplace, type Started, type Workplace } from "../support/started-gateway.ts";
import { ask, type Call, type Customer, customerOf } from "./client.ts";

const CAP = 40;

let pair: ChainPair;
let partner: FaultProxy;
let workplace: Workplace;
let gateways: readonly Started[];
let storage: Storage;
let growth: Customer;
let balance: Call;

beforeAll(async () => {
  pair = await startChainPair();
  const [own, paid] = pair.nodes;
  if (own === undefined || paid === undefined) throw new Error("no nodes");
  partner = await startFaultProxy(paid);
  const upstreams = [
    { name: "own", url: own.url },
    { name: "paid", url: partner.url, role: "partner" },
  ];
  const network = { name: "net", family: "evm", chainId: 31_337, partnerCaps: { day: CAP } };
  workplace = await openWorkplace({
    server: { port: 0 },
    admin: { port: 0 },
    storage: { url: "sqlite:./tollgate.db" },
    networks: [{ ...network, upstreams }],
  });
  gateways = await Promise.all([workplace.start(), workplace.start()]);
  storage = await openStorage({ url: `sqlite:${join(workplace.folder, "tollgate.db")}` });
  growth = await customerOf(storage, "growth");
  balance = { method: "eth_getBalance", params: [pair.samples.accounts.sender, "latest"] };
});
afterAll(async () => {
  await storage?.close();
  await workplace?.clear();
  await partner?.stop();
  await pair?.stop();
});

/** Of an account that nobody has used. */
const balanceOf = (account: number) => ({
  method: "eth_getBalance",
  params: [`0x${(0xabc000 + account).toString(16).padStart(40, "0")}`, "latest"],
});

test("two processes on one database together send their partner exactly what the cap allows", async () => {
  const urls = gateways.map(({ origin }) => `${origin}/net/v3/${growth.key}`);
  for (const url of urls) expect((await ask(url, balance)).status).toBe(200);
  await pair.nodes[0]?.kill();

  const asked = Array.from({ length: 3 * CAP }, (_, index) => {
    const url = urls[index % urls.length] ?? "";
    // Calls that are alike would share one, or have it from the cache.
    return ask(url, balanceOf(index));
  });
  const answers = await Promise.all(asked);
  const served = answers.map(({ status }) => status === 200);
  expect(served.filter(Boolean)).toHaveLength(CAP);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
  // Both were at it: neither had used the cap up before the other began.
  for (const gateway of [0, 1]) {
    expect(served.filter((isServed, index) => isServed && index % 2 === gateway)).not.toEqual([]);
  }
  expect(partner.count((method) => method !== "eth_chainId")).toBe(CAP);
  expect(partner.calls.get("eth_chainId")).toBe(2);
  const counted = await storage.partners.read("net", Date.now());
  expect(counted).toEqual({ day: CAP, month: CAP });

  for (const url of urls) expect((await ask(url, balanceOf(3 * CAP))).status).toBe(503);
  expect(partner.count((method) => method !== "eth_chainId")).toBe(CAP);
});

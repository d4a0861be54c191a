import { afterEach, beforeEach, expect, test } from "vitest";
import { openMemory } from "../../src/storage/memory.ts";
import type { Storage } from "../../src/storage/store.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { ask } from "./client.ts";

const MONTHLY = 100_000;
const PER_CALL = 30_000;

let paid: StandInNode;
let own: StandInNode;
let storage: Storage;
let gateways: TestGateway[];
beforeEach(async () => {
  [paid, own] = await Promise.all([
    startStandInNode(() => ({ result: "0x1" })),
    startStandInNode(() => ({ result: "0x1" })),
  ]);
  storage = { ...openMemory(), close: async () => undefined };
  gateways = [];
});
afterEach(async () => {
  for (const one of gateways) await one.stop();
  await Promise.all([paid.stop(), own.stop()]);
});

async function start(account: string): Promise<TestGateway> {
  const cost = { perCall: 1, methods: { eth_getBalance: PER_CALL }, monthly: MONTHLY };
  const gateway = await startTestGateway({
    ...{ storage, account },
    networks: [
      {
        ...{ name: "net", family: "evm", chainId: 1 },
        upstreams: [
          { name: "paid", url: paid.url, cost },
          { name: "own", url: own.url, lacks: ["eth_getBalance"] },
        ],
      },
    ],
  });
  gateways.push(gateway);
  return gateway;
}
async function balance(gateway: TestGateway): Promise<void> {
  const params = [`0x${"ab".repeat(20)}`, "latest"];
  const { body } = await ask(gateway.http("net"), { method: "eth_getBalance", params });
  expect(body).toMatchObject({ result: "0x1" });
}
type Upstream = { readonly name: string; readonly state: string; readonly cost?: object };
type Overview = { readonly networks: readonly { readonly upstreams: readonly Upstream[] }[] };
async function upstreamOf(gateway: TestGateway, name: string): Promise<Upstream | undefined> {
  const { networks } = (await (await gateway.admin("/networks")).json()) as Overview;
  return networks[0]?.upstreams.find((one) => one.name === name);
}

test("a node whose month is used up is asked nothing by any gateway, and others answer", async () => {
  const first = await start("first@example.com");
  expect(await upstreamOf(first, "own")).not.toHaveProperty("cost");
  for (let calls = 0; calls < 4; calls += 1) await balance(first);
  await expect.poll(async () => (await upstreamOf(first, "paid"))?.state).toBe("used up");
  expect((await upstreamOf(first, "paid"))?.cost).toEqual({ month: MONTHLY, monthly: MONTHLY });
  const asked = paid.requests.length;
  for (let calls = 0; calls < 3; calls += 1) await balance(first);
  expect(paid.requests).toHaveLength(asked);
  const metrics = await (await first.admin("/metrics")).text();
  expect(metrics).toMatch(
    /^tollgate_upstream_units_total\{network="net",upstream="paid"\} 12\d{4}$/m,
  );

  const second = await start("second@example.com");
  await balance(second);
  await expect.poll(async () => (await upstreamOf(second, "paid"))?.state).toBe("used up");
});

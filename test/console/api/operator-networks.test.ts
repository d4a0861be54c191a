import { afterEach, expect, test, vi } from "vitest";
import type { NetworksOverview } from "../../../src/console/contract/operator-networks.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../../support/stand-in-node.ts";
import { openRig, type Person, type Rig, textOf } from "./support.ts";

const ADDRESS = `0x${"1".repeat(40)}`;

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

/** A gateway with two nodes, and the console beside it. */
async function scene(): Promise<{
  rig: Rig;
  operator: Person;
  gateway: TestGateway;
  nodes: readonly StandInNode[];
}> {
  const nodes = await Promise.all([startStandInNode(), startStandInNode()]);
  for (const node of nodes) ending.push(node.stop);
  const upstreams = nodes.map(({ url }, place) => ({ name: `node-${place}`, url }));
  const networks = [{ name: "mainnet", family: "evm", chainId: 1, upstreams }];
  const gateway = await startTestGateway({ networks });
  ending.push(gateway.stop);
  const { storage, port, adminPort } = gateway;
  await vi.waitFor(async () => {
    const overview = await (await gateway.admin("/networks")).text();
    expect(overview.match(/"state":"ready"/g)).toHaveLength(2);
  }, 5000);
  const rig = await openRig({ storage, gateway: port, admin: adminPort });
  ending.push(rig.close);
  await rig.account("operator@example.com", { operator: true });
  return { rig, operator: rig.person("operator@example.com"), gateway, nodes };
}

async function call(gateway: TestGateway, method: string): Promise<void> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [ADDRESS, "latest"] });
  const headers = { "content-type": "application/json" };
  await (await fetch(gateway.http(), { method: "POST", headers, body })).text();
}

const look = async (operator: Person): Promise<NetworksOverview["networks"][number]> => {
  const reply = await operator.get("/api/operator/networks");
  expect(reply.statusCode, reply.body).toBe(200);
  const { admin, networks } = reply.json() as NetworksOverview;
  expect(admin).toBe(true);
  const [network] = networks;
  if (network === undefined) throw new Error("no network");
  return network;
};

test("traffic and failures are those of the time between two looks, of each network and upstream", async () => {
  const { rig, operator, gateway } = await scene();
  const first = await look(operator);
  expect(first).toMatchObject({ name: "mainnet", family: "evm", chainId: 1, traffic: null });
  expect(first.upstreams).toMatchObject([
    { name: "node-0", role: "primary", state: "ready", traffic: null },
    { name: "node-1", role: "primary", state: "ready", traffic: null },
  ]);
  for (let round = 0; round < 8; round += 1) await call(gateway, "eth_getBalance");
  for (let round = 0; round < 4; round += 1) await call(gateway, "eth_noSuchMethod");
  rig.wait(2000);
  const second = await look(operator);
  expect(second.traffic).toEqual({ calls: 6, failed: 2 });
  const attempts = second.upstreams.map(({ traffic }) => traffic?.calls ?? 0);
  // The gateway's own polls go to the nodes too.
  expect(attempts.reduce((all, one) => all + one, 0)).toBeGreaterThanOrEqual(2);
  // Another page that looks a moment later sees the same traffic, not an empty moment.
  rig.wait(100);
  expect((await look(operator)).traffic?.calls).toBeCloseTo(12 / 2.1, 0);
});

test("a drained upstream gets no more calls until it is enabled, and the live page shows it", async () => {
  const { rig, operator, gateway, nodes } = await scene();
  const origin = await rig.app.listen({ host: "127.0.0.1", port: 0 });
  const page = await fetch(`${origin}/api/operator/networks/live`, {
    headers: { cookie: operator.cookie },
  });
  let seen = "";
  void (async () => {
    for await (const chunk of textOf(page)) seen = chunk;
  })().catch(() => undefined);
  const url = "/api/operator/networks/mainnet/upstreams/node-0";
  const drained = await operator.post(`${url}/drain`);
  expect(drained.json()).toEqual({ network: "mainnet", upstream: "node-0", drained: true });
  expect((await look(operator)).upstreams[0]?.state).toBe("drained");
  await vi.waitFor(
    () => expect(seen).toMatch(/^event: networks\n.*"name":"node-0".*"state":"drained"/),
    3000,
  );
  const before = nodes[0]?.requests.length;
  for (let round = 0; round < 6; round += 1) await call(gateway, "eth_getBalance");
  expect(nodes[0]?.requests.length).toBe(before);
  expect(nodes[1]?.requests.length).toBeGreaterThanOrEqual(6);
  expect((await operator.post(`${url}/enable`)).json().drained).toBe(false);
  expect((await look(operator)).upstreams[0]?.state).toBe("ready");
  for (const place of ["mainnet/upstreams/none", "none/upstreams/node-0", "%2e%2e/upstreams/x"]) {
    const reply = await operator.post(`/api/operator/networks/${place}/drain`);
    expect(reply.statusCode, place).toBe(404);
  }
});

test("a gateway that does not answer is told with what to do, live too, and no upstream's URL is", async () => {
  const rig = await openRig({ admin: 1 });
  ending.push(rig.close);
  await rig.account("operator@example.com", { operator: true });
  const operator = rig.person("operator@example.com");
  for (const reply of [
    await operator.get("/api/operator/networks"),
    await operator.post("/api/operator/networks/mainnet/upstreams/geth/drain"),
  ]) {
    expect(reply.statusCode).toBe(503);
    expect(reply.json().error.message).toMatch(/admin port does not answer; see in its log/);
  }
  const origin = await rig.app.listen({ host: "127.0.0.1", port: 0 });
  const page = await fetch(`${origin}/api/operator/networks/live`, {
    headers: { cookie: operator.cookie },
  });
  const chunks = textOf(page);
  let text = "";
  while (!text.includes("event:")) text += (await chunks.next()).value ?? "";
  expect(text).toMatch(/event: fault\ndata: \{"message":"the gateway's admin port does not answer/);
});

test("without an admin port the networks are unknown, and a change says how to open it", async () => {
  const rig = await openRig();
  ending.push(rig.close);
  await rig.account("operator@example.com", { operator: true });
  const operator = rig.person("operator@example.com");
  expect((await operator.get("/api/operator/networks")).json()).toEqual({
    admin: false,
    networks: [],
    fleet: { gateways: [], differ: [] },
  });
  const reply = await operator.post("/api/operator/networks/mainnet/upstreams/geth/drain");
  expect(reply.statusCode).toBe(409);
  expect(reply.json().error.message).toContain("write admin: {}");
});

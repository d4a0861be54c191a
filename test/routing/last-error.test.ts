import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { NetworkOverview, UpstreamOverview } from "../../src/networks/overview.ts";
import { createAuthority } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type NodeReply, type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { UPSTREAM_SECRET } from "../support/upstream-secret.ts";

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** A gateway on a node that is well, and on one that fails. */
async function startBeside(url: string): Promise<TestGateway> {
  const well = await startStandInNode();
  stops.push(() => well.stop());
  const upstreams = [
    { name: "failing", url },
    { name: "well", url: well.url },
  ];
  const network = { name: "net", family: "evm", chainId: 1, upstreams };
  const gateway = await startTestGateway({ networks: [network] });
  stops.push(() => gateway.stop());
  return gateway;
}

async function lastErrorOf(
  gateway: TestGateway,
  name = "failing",
): Promise<UpstreamOverview["lastError"]> {
  const text = await (await gateway.admin("/networks")).text();
  expect(text).not.toMatch(new RegExp(`${UPSTREAM_SECRET}|://(?!\\[redacted)|127\\.0\\.0\\.1`));
  const { networks } = JSON.parse(text) as { readonly networks: readonly NetworkOverview[] };
  return networks[0]?.upstreams.find((each) => each.name === name)?.lastError ?? null;
}

const seen = (gateway: TestGateway) => expect.poll(() => lastErrorOf(gateway));

async function startFailing(sickness: NodeReply): Promise<StandInNode> {
  const node = await startStandInNode();
  node.sickness = sickness;
  stops.push(() => node.stop());
  return node;
}

test("a port that nobody listens at is told by the system's name of the error, in the log too", async () => {
  const beganMs = Date.now();
  const gateway = await startBeside(`http://127.0.0.1:${await freePort()}/v1/${UPSTREAM_SECRET}`);
  await seen(gateway).toMatchObject({ class: "unreachable", message: "ECONNREFUSED" });
  await expect.poll(async () => (await lastErrorOf(gateway))?.count).toBeGreaterThan(2);
  const { at = "" } = (await lastErrorOf(gateway)) ?? {};
  expect(Date.parse(at)).toBeGreaterThanOrEqual(beganMs);
  expect(Date.parse(at)).toBeLessThanOrEqual(Date.now());
  await expect
    .poll(() => gateway.log(), { timeout: 20_000 })
    .toMatch(/"state":"breaker open","lastError":\{"class":"unreachable","message":"ECONNREFUSED"/);
  expect(await lastErrorOf(gateway, "well")).toBeNull();
});

test("an HTTP status is told with the node's words, without the key that it was called with", async () => {
  const body = `{"error":"unknown key ${UPSTREAM_SECRET}, see https://node.example/${UPSTREAM_SECRET}"}`;
  const node = await startFailing({ status: 401, body });
  const gateway = await startBeside(`${node.url}/v1/${UPSTREAM_SECRET}`);
  await seen(gateway).toMatchObject({ class: "unauthorized" });
  const { message } = (await lastErrorOf(gateway)) ?? {};
  expect(message).toMatch(/^HTTP 401: .*unknown key/);
});

test("an error of JSON-RPC is told with its code", async () => {
  const node = await startFailing({ error: { code: -32603, message: "database is corrupt" } });
  const gateway = await startBeside(node.url);
  const message = "error -32603: database is corrupt";
  await seen(gateway).toMatchObject({ class: "internal", message });
});

test("a node of another chain is told with both chains", async () => {
  const node = await startStandInNode(undefined, 5);
  stops.push(() => node.stop());
  const gateway = await startBeside(node.url);
  const message = "chainId 5 in place of 1";
  await seen(gateway).toMatchObject({ class: "wrong_chain", message, count: 1 });
});

test("a certificate that nobody vouches for is told by the name of what is wrong with it", async () => {
  const server = createServer(createAuthority().issue());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  const gateway = await startBeside(`https://127.0.0.1:${port}`);
  await seen(gateway).toMatchObject({
    class: "unreachable",
    message: expect.stringMatching(/^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/),
  });
});

test("errors of one class are counted until one of another class comes", async () => {
  const node = await startFailing({ status: 401, body: "no" });
  const gateway = await startBeside(node.url);
  await expect.poll(async () => (await lastErrorOf(gateway))?.count).toBeGreaterThan(1);
  node.sickness = { status: 503, body: "too busy" };
  await seen(gateway).toMatchObject({ class: "overloaded", message: "HTTP 503: too busy" });
  expect((await lastErrorOf(gateway))?.count).toBeLessThan(10);
  node.sickness = undefined;
  const { at, count } = (await lastErrorOf(gateway)) ?? {};
  await expect
    .poll(async () => (await (await gateway.admin("/networks")).text()).includes("breaker open"), {
      timeout: 20_000,
    })
    .toBe(false);
  expect(await lastErrorOf(gateway)).toMatchObject({ at, count });
});

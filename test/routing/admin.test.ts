import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { NetworkOverview, UpstreamOverview } from "../../src/networks/overview.ts";
import { ask } from "../http/ask.ts";
import { type ChainPair, startChainPair } from "../support/chain-pair.ts";
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { UPSTREAM_SECRET } from "../support/upstream-secret.ts";
import { ask as askNode } from "./client.ts";

type Overview = { readonly networks: readonly NetworkOverview[] };

async function networksOf(gateway: TestGateway): Promise<readonly NetworkOverview[]> {
  const response = await gateway.admin("/networks");
  expect(response.headers.get("content-type")).toBe("application/json");
  const text = await response.text();
  // `://` of an address, and what stands in each.
  expect(text).not.toMatch(new RegExp(`${UPSTREAM_SECRET}|://|127\\.0\\.0\\.1|tg_`));
  return (JSON.parse(text) as Overview).networks;
}

async function upstreamOf(gateway: TestGateway, name: string): Promise<UpstreamOverview> {
  const [network] = await networksOf(gateway);
  const found = network?.upstreams.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no upstream ${name}`);
  return found;
}

type Sent = { readonly method?: string; readonly headers?: Record<string, string> };
const post = ({ adminPort }: TestGateway, target: string, sent: Sent = {}) =>
  ask(adminPort, {
    ...{ method: "POST", target, body: "", ...sent },
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...sent.headers },
  });

const gasPrice = (gateway: TestGateway) => askNode(gateway.http(), { method: "eth_gasPrice" });
const balanceOf = (gateway: TestGateway, account: number) =>
  askNode(gateway.http(), {
    method: "eth_getBalance",
    params: [`0x${account.toString(16).padStart(40, "0")}`, "latest"],
  });

test("who does not send the token learns whether the gateway is ready, and nothing else", async () => {
  const node = await startStandInNode();
  const upstreams = [{ name: "a", url: node.url }];
  const gateway = await startTestGateway({
    networks: [{ name: "net", family: "evm", chainId: 1, upstreams }],
  });
  const text = async (path: string) => (await gateway.admin(path)).text();
  try {
    await expect.poll(() => text("/readyz")).toBe('{"ready":true,"obstacles":[]}');
    const strange = { headers: { authorization: `Bearer ${ADMIN_TOKEN}x` } };
    for (const sent of [{}, strange]) {
      const asStranger = async (target: string, method = "GET") => {
        const answer = await ask(gateway.adminPort, { method, target, body: "", ...sent });
        return [answer.status, answer.text, answer.headers["www-authenticate"]];
      };
      expect(await asStranger("/healthz")).toEqual([200, '{"ok":true}', undefined]);
      expect(await asStranger("/readyz")).toEqual([200, '{"ready":true}', undefined]);
      for (const path of ["/metrics", "/networks", "/nothing"]) {
        expect(await asStranger(path)).toEqual([401, expect.stringMatching(/Bearer/), "Bearer"]);
      }
      const place = "/networks/net/upstreams/a/drain";
      expect((await asStranger(place, "POST"))[0]).toBe(401);
    }
  } finally {
    await gateway.stop();
    await node.stop();
  }
});

describe("before real nodes", () => {
  let pair: ChainPair;
  let gateway: TestGateway;
  beforeAll(async () => {
    pair = await startChainPair();
    const [a, b] = pair.nodes;
    const upstreams = [
      { name: "a", url: a?.url },
      { name: "b", url: b?.url, archive: true, lacks: ["eth_getProof"] },
      { name: "paid", url: b?.url, role: "partner" },
    ];
    gateway = await startTestGateway({ networks: [{ name: "net", family: "evm", upstreams }] });
  });
  afterAll(async () => {
    await gateway?.stop();
    await pair?.stop();
  });

  test("GET /networks tells of each upstream what is known of it", async () => {
    for (const name of ["a", "b"]) {
      await expect.poll(async () => (await upstreamOf(gateway, name)).head).toBe(pair.head());
    }
    const [network, ...others] = await networksOf(gateway);
    expect(others).toEqual([]);
    expect(network).toMatchObject({ name: "net", chainId: 31_337, head: pair.head() });
    expect(network?.headHash).toMatch(/^0x[0-9a-f]{64}$/);
    const [a, b, paid] = network?.upstreams ?? [];
    expect(a).toEqual({
      ...{ name: "a", role: "primary", state: "ready", head: pair.head(), lag: 0, forked: false },
      ...{ inFlight: 0, lacks: [], archiveDepth: null },
      clientVersion: expect.stringMatching(/^anvil\/v/),
      latencyMs: a?.latencyMs,
      lastError: null,
    });
    expect(b).toMatchObject({ lacks: ["eth_getProof"], archiveDepth: "all", state: "ready" });
    // A partner is paid for each question: it was asked none.
    expect(paid).toEqual({
      ...{ name: "paid", role: "partner", state: "not reached yet", clientVersion: null },
      ...{ head: null, lag: null, forked: false, inFlight: 0, latencyMs: null },
      ...{ lacks: [], archiveDepth: null, lastError: null },
    });
  });

  test("a latency is there once calls were answered, and a lag once others are ahead", async () => {
    for (let calls = 0; calls < 20; calls += 1) await gasPrice(gateway);
    const { latencyMs } = await upstreamOf(gateway, "a");
    expect(latencyMs).toBeGreaterThan(0);
    expect(latencyMs).toBeLessThan(1000);
    await pair.mine(3, pair.nodes.slice(0, 1));
    await expect
      .poll(async () => (await upstreamOf(gateway, "b")).lag, { timeout: 20_000 })
      .toBe(3);
    expect(await upstreamOf(gateway, "a")).toMatchObject({ lag: 0, state: "ready" });
    await pair.catchUp();
    await expect
      .poll(async () => (await upstreamOf(gateway, "b")).lag, { timeout: 20_000 })
      .toBe(0);
  });

  test("a node that is gone is told of, and told of as ready once it is back", async () => {
    const [, node] = pair.nodes;
    await node?.kill();
    const isDown = async () => {
      await gasPrice(gateway);
      return (await upstreamOf(gateway, "b")).state;
    };
    await expect.poll(isDown, { timeout: 20_000 }).toMatch(/^(?:breaker open|not reached yet)$/);
    await node?.restart();
    if (node !== undefined) await pair.seed(node);
    await expect.poll(isDown, { timeout: 20_000 }).toBe("ready");
  });
});

describe("draining", () => {
  let nodes: [StandInNode, StandInNode];
  let gateway: TestGateway;
  const drain = () => post(gateway, "/networks/net/upstreams/first/drain");
  const enable = () => post(gateway, "/networks/net/upstreams/first/enable");
  const PRICE = { result: "0x1" };

  beforeAll(async () => {
    nodes = [await startStandInNode(() => PRICE), await startStandInNode(() => PRICE)];
    const upstreams = [
      { name: "first", url: nodes[0].url },
      { name: "second", url: nodes[1].url },
    ];
    const network = { name: "net", family: "evm", chainId: 1, hedgeShare: 0, upstreams };
    gateway = await startTestGateway({ networks: [network] });
  });
  beforeEach(async () => {
    await enable();
    for (const node of nodes) node.reply = () => PRICE;
    const areReady = async () =>
      (await networksOf(gateway))[0]?.upstreams.map(({ state }) => state).join();
    await expect.poll(areReady, { timeout: 10_000 }).toBe("ready,ready");
  });
  afterAll(async () => {
    await gateway?.stop();
    for (const node of nodes) await node.stop();
  });

  const callsTo = (node: StandInNode) =>
    node.requests.filter(({ method }) => method === "eth_gasPrice").length;
  /** All that was sent to it, the gateway's own questions included. */
  const attemptsAt = async (name: string) => {
    const text = await (await gateway.admin("/metrics")).text();
    const lines = text.matchAll(
      new RegExp(`^tollgate_upstream_calls_total{.*upstream="${name}".*} (\\d+)$`, "gm"),
    );
    return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
  };

  test("a drained upstream gets no call and no question, and all it had after it is enabled", async () => {
    const answered = await drain();
    expect(answered.status).toBe(200);
    expect(JSON.parse(answered.text)).toEqual({ network: "net", upstream: "first", drained: true });
    expect(await upstreamOf(gateway, "first")).toMatchObject({ state: "drained" });
    const [before, attempts] = [callsTo(nodes[0]), await attemptsAt("first")];
    for (let calls = 0; calls < 50; calls += 1) {
      expect((await gasPrice(gateway)).status).toBe(200);
    }
    nodes[1].head += 1;
    await expect
      .poll(async () => (await upstreamOf(gateway, "second")).head, { timeout: 20_000 })
      .toBe(nodes[1].head);
    expect(callsTo(nodes[0])).toBe(before);
    expect(await attemptsAt("first")).toBe(attempts);

    nodes[0].head = nodes[1].head;
    expect(JSON.parse((await enable()).text)).toMatchObject({ upstream: "first", drained: false });
    const isUsed = async () => {
      await gasPrice(gateway);
      return callsTo(nodes[0]) > before;
    };
    await expect.poll(isUsed, { timeout: 10_000 }).toBe(true);
    expect(await upstreamOf(gateway, "first")).toMatchObject({ state: "ready" });
  });

  test("calls in the air at a drained upstream finish there", async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    nodes[0].reply = async () => {
      await released;
      return { result: "0x2" };
    };
    // Calls that are alike would share one.
    const asked = Array.from({ length: 20 }, (_, at) => balanceOf(gateway, at));
    await expect
      .poll(async () => (await upstreamOf(gateway, "first")).inFlight, { timeout: 5000 })
      .toBeGreaterThan(0);
    await drain();
    const { inFlight, state } = await upstreamOf(gateway, "first");
    expect(state).toBe("drained");
    expect(inFlight).toBeGreaterThan(0);
    release();
    const results = (await Promise.all(asked)).map(({ body }) => body.result);
    expect(new Set(results)).toEqual(new Set(["0x1", "0x2"]));
    expect(results.filter((result) => result === "0x2")).toHaveLength(inFlight);
    expect(await upstreamOf(gateway, "first")).toMatchObject({ inFlight: 0, state: "drained" });
  });

  test("with every upstream drained a call gets 503 at once", async () => {
    await drain();
    await post(gateway, "/networks/net/upstreams/second/drain");
    const begun = performance.now();
    const { status, body } = await gasPrice(gateway);
    expect(status).toBe(503);
    expect(body).toMatchObject({ error: { code: -32603, message: "no upstream could answer" } });
    expect(performance.now() - begun).toBeLessThan(3000);
    await post(gateway, "/networks/net/upstreams/second/enable");
    await setTimeout(10);
    expect((await gasPrice(gateway)).status).toBe(200);
  });

  test("names that nobody has are 404, other verbs 405, a page in a browser 403: nothing is drained", async () => {
    const refused = async (target: string, sent: Sent = {}) => {
      const { status, text } = await post(gateway, target, sent);
      expect(JSON.parse(text)).toEqual({ error: expect.any(String) });
      return status;
    };
    const upstream = "/networks/net/upstreams/first";
    expect(await refused("/networks/other/upstreams/first/drain")).toBe(404);
    expect(await refused("/networks/net/upstreams/other/drain")).toBe(404);
    expect(await refused("/networks/net/upstreams/%E0%A4%A/drain")).toBe(404);
    expect(await refused("/networks/net/upstreams//drain", { method: "GET" })).toBe(404);
    expect(await refused(`${upstream}/stop`, { method: "GET" })).toBe(404);
    for (const method of ["GET", "PUT", "DELETE"]) {
      expect(await refused(`${upstream}/drain`, { method })).toBe(405);
    }
    expect(await refused("/networks")).toBe(405);
    const headers = { origin: "https://example.com" };
    expect(await refused(`${upstream}/drain`, { headers })).toBe(403);
    expect(await refused("/networks", { headers, method: "GET" })).toBe(403);
    expect(await upstreamOf(gateway, "first")).toMatchObject({ state: "ready" });
  });
});

describe("a node that says odd things of itself", () => {
  test("does no harm to the gateway, and is not asked again and again", async () => {
    const odd = await startStandInNode(({ method, id }) =>
      method === "web3_clientVersion"
        ? { body: `{"jsonrpc":"2.0","id":${id},"result":"a\u0001b"}` }
        : { result: "0x1" },
    );
    const refusing = await startStandInNode(() => ({ error: { code: -32603 }, status: 500 }));
    const upstreams = [
      { name: "odd", url: odd.url },
      { name: "refusing", url: refusing.url },
    ];
    const network = { name: "net", family: "evm", chainId: 1, upstreams };
    const gateway = await startTestGateway({ networks: [network] });
    try {
      for (const name of ["odd", "refusing"]) {
        await expect.poll(async () => (await upstreamOf(gateway, name)).state).toBe("ready");
      }
      for (let looks = 0; looks < 5; looks += 1) await networksOf(gateway);
      for (const { requests } of [odd, refusing]) expect(requests).toHaveLength(1);
      expect(await upstreamOf(gateway, "odd")).toMatchObject({ clientVersion: null });
      expect(await upstreamOf(gateway, "refusing")).toMatchObject({ state: "ready" });
    } finally {
      await gateway.stop();
      await odd.stop();
      await refusing.stop();
    }
  });
});

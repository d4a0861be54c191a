import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeArguments } from "../../src/dev/abi.ts";
import { rpc } from "../../src/dev/rpc.ts";
import { seeded } from "../credits/calls.ts";
import { type ChainPair, startChainPair } from "../support/chain-pair.ts";
import { type GatewayRig, type RigNetwork, startGatewayRig } from "../support/gateway-rig.ts";
import { HttpClient, WsClient } from "../support/load-clients.ts";

const CORPUS = "test/fixtures/nodes/revert-corpus.jsonl";
const AT_RANDOM = 1_000;
const IN_AIR = 8;

/** CALLDATASIZE 0 0 CALLDATACOPY, CALLDATASIZE 0 REVERT: reverts with whatever it is called with. */
const ECHO = "0x365f5f37365ffd";
const CONTRACT = `0x${"ec".repeat(20)}`;
const METHODS = ["eth_call", "eth_estimateGas"] as const;

type Line = { readonly expect: { readonly class: string; readonly reason: string | null } };
type Question = { readonly method: string; readonly text: string };

/** What contracts say in the corpus' reverts; most of it reads like a failure of the node. */
function textsOfContracts(): readonly string[] {
  const lines = readFileSync(CORPUS, "utf8").trimEnd().split("\n");
  const reverts = lines
    .map((line) => (JSON.parse(line) as Line).expect)
    .filter((one) => one.class === "revert");
  return [...new Set(reverts.map(({ reason }) => reason).filter((reason) => reason !== null))];
}

/** The selector of `Error(string)`, and its argument. */
const payloadOf = (text: string): string => `0x08c379a0${encodeArguments(["string"], [text])}`;

describe("reverts on real nodes", () => {
  const texts = textsOfContracts();
  let pair: ChainPair;
  let rig: GatewayRig;
  beforeAll(async () => {
    pair = await startChainPair({ blocks: 2 });
    for (const { url } of pair.nodes) await rpc(url, "anvil_setCode", [CONTRACT, ECHO]);
    // A hedge is asked for because of time, not of what a contract says.
    rig = await startGatewayRig({ nodes: pair.nodes, network: { hedgeShare: 0 } });
  });
  afterAll(async () => {
    await rig?.stop();
    await pair?.stop();
  });

  /** Each asked of the gateway, half of them over WebSocket; those that were answered wrongly. */
  async function askAll(questions: readonly Question[]): Promise<object[]> {
    const { http, ws } = networkOf(rig);
    const clients = [new HttpClient(http, IN_AIR), new WsClient(ws)] as const;
    const wrong: object[] = [];
    const left = questions.entries();
    const worker = async (at: number) => {
      const { ask } = clients[at % 2 === 0 ? 0 : 1];
      for (const [id, { method, text }] of left) {
        const data = payloadOf(text);
        const params = [{ to: CONTRACT, data }, "latest"];
        const reply = await ask(JSON.stringify({ jsonrpc: "2.0", id, method, params }), id);
        const error = { code: 3, message: `execution reverted: ${text}`, data };
        const owed = { status: 200, answer: { jsonrpc: "2.0", id, error } };
        const given = { status: reply.status, answer: JSON.parse(reply.text) };
        if (JSON.stringify(given) !== JSON.stringify(owed)) wrong.push({ given, owed });
      }
    };
    await Promise.all(Array.from({ length: IN_AIR }, (_, at) => worker(at)));
    await Promise.all(clients.map((client) => client.close()));
    return wrong;
  }

  async function requireOneCallEach(questions: readonly Question[]): Promise<void> {
    const { proxies, troubles } = networkOf(rig);
    const asked = () =>
      proxies.map(({ count }) => count((method) => METHODS.some((one) => one === method)));
    const before = asked();
    expect(await askAll(questions)).toEqual([]);
    const calls = asked().map((count, at) => count - (before[at] ?? 0));
    const sum = calls.reduce((total, each) => total + each, 0);
    // Those that are alike may have shared one.
    const distinct = new Set(questions.map(({ method, text }) => `${method} ${text}`)).size;
    expect(sum).toBeGreaterThanOrEqual(distinct);
    expect(sum).toBeLessThanOrEqual(questions.length);
    expect(Math.min(...calls)).toBeGreaterThan(0);
    for (const upstream of ["a", "b"]) {
      const found = [...(await troubles(upstream))].filter(([series]) => !/_ready\{/.test(series));
      expect(found.filter(([, value]) => value !== 0)).toEqual([]);
    }
    const page = await (await rig.gateway.admin("/metrics")).text();
    expect(page).toMatch(/^tollgate_upstream_ready\{[^}]*upstream="a"\} 1$/m);
    expect(page).toMatch(/^tollgate_upstream_ready\{[^}]*upstream="b"\} 1$/m);
    expect(page).not.toMatch(/^tollgate_(retries|hedges)_total\{[^}]*\} [1-9]/m);
    expect(rig.gateway.log()).not.toContain('"breaker open"');
  }

  test("each text of a contract, once: one upstream call, and code 3 with its data", async () => {
    expect(texts.length).toBeGreaterThan(60);
    await requireOneCallEach(texts.map((text) => ({ method: "eth_call", text })));
  });

  test("a thousand texts at random: no failover, and no breaker opens", async () => {
    const random = seeded(5);
    const pick = <Element>(from: readonly Element[]): Element => {
      const found = from[Math.floor(random() * from.length)];
      if (found === undefined) throw new Error("nothing to pick from");
      return found;
    };
    await requireOneCallEach(
      Array.from({ length: AT_RANDOM }, () => ({ method: pick(METHODS), text: pick(texts) })),
    );
  });
});

function networkOf({ networks: [network] }: GatewayRig): RigNetwork {
  if (network === undefined) throw new Error("no network");
  return network;
}

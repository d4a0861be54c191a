import { afterAll, beforeAll, expect, test } from "vitest";
import { EVM_METHODS } from "../../src/methods/registry.ts";
import { NOT_OF_ANVIL } from "../conformance/not-of-anvil.ts";
import { type ChainPair, startChainPair } from "../support/chain-pair.ts";
import { type GatewayRig, type RigNetwork, startGatewayRig } from "../support/gateway-rig.ts";
import {
  isRepeat,
  type KnownAnswer,
  knownOfGateway,
  knownOfNodes,
} from "../support/known-answers.ts";
import { runLoad } from "../support/traffic.ts";

let pair: ChainPair;
let rig: GatewayRig;
let network: RigNetwork;
let known: readonly KnownAnswer[];

beforeAll(async () => {
  pair = await startChainPair();
  rig = await startGatewayRig({ nodes: pair.nodes });
  const [only] = rig.networks;
  if (only === undefined) throw new Error("no network");
  network = only;
  const asked = { samples: pair.samples, pendingHash: await pair.leaveWaiting() };
  known = await knownOfNodes(
    pair.nodes.map(({ url }) => url),
    asked,
  );
});
afterAll(async () => {
  await rig?.stop();
  await pair?.stop();
});

test("there is a known answer to every method that is asked for, the same as of the gateway without a fault", async () => {
  const methods = new Set(known.map(({ method }) => method));
  const asked = EVM_METHODS.map(({ method }) => method).filter(
    (method) => !NOT_OF_ANVIL.has(method) && !isRepeat(method),
  );
  expect([...methods].toSorted()).toEqual(asked.toSorted());
  const questions = known.map(({ answer: _, ...question }) => question);
  expect(await knownOfGateway(network.http, questions)).toEqual(known);
});

test("a load without a fault is answered right, all of it, over both transports", async () => {
  const report = await runLoad({ ...network, known, calls: 300 });
  expect(report).toMatchObject({ calls: 300, errors: [], wrong: [], faults: 0 });
  expect(report.p50Ms).toBeLessThanOrEqual(report.p99Ms);
  expect(report.p99Ms).toBeLessThanOrEqual(report.maxMs);
  const client = (method: string) => method === "eth_getLogs" || method === "eth_getProof";
  expect(network.proxies.reduce((sum, proxy) => sum + proxy.count(client), 0)).toBeGreaterThan(0);
});

test("what is wrong, and what is an error, is told of with its question", async () => {
  const wrong = known.map((each) => ({ ...each, answer: { result: "else" } }));
  const results = wrong.filter(({ method }) => method === "eth_chainId");
  const report = await runLoad({ ...network, known: results, calls: 20 });
  expect(report).toMatchObject({ calls: 20, errors: [], faults: 20 });
  expect(report.wrong).toHaveLength(10);
  expect(report.wrong[0]).toMatch(/^eth_chainId \[\]: .*"0x7a69".*, not \{"result":"else"\}/);

  const unknown = [{ method: "eth_nothing", params: [], answer: { result: null } }];
  const errors = await runLoad({ ...network, known: unknown, calls: 4 });
  expect(errors).toMatchObject({ wrong: [], faults: 4 });
  expect(errors.errors[0]).toContain("-32601");

  const nowhere = { http: network.http.replace(/v3.*/, "v3/none"), ws: network.ws };
  const refused = await runLoad({ ...nowhere, known: unknown, calls: 2, inAir: 1 });
  expect(refused.errors[0]).toContain("401");
});

test("the metrics of an upstream show what went wrong at it, and only that", async () => {
  expect([...(await network.troubles("a")).keys()].join()).not.toContain('outcome="ok"');
  expect(await network.served("a")).toBeGreaterThan(0);
  expect(await network.served("c")).toBe(0);
});

import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChainPair, startChainPair } from "../support/chain-pair.ts";
import { type GatewayRig, startGatewayRig } from "../support/gateway-rig.ts";

const BLOCKS = 8;
const BLOCK_MS = 1000;
/** Before the rhythm of the chain is known, and what was saved up since. */
const ALLOWED_AT_FIRST = 3;

let pair: ChainPair;
let rig: GatewayRig;

beforeAll(async () => {
  pair = await startChainPair({ count: 3 });
  const networks = [
    { name: "polled", webSocket: false },
    { name: "told", webSocket: true },
  ];
  rig = await startGatewayRig({ nodes: pair.nodes, networks });
  // Chain ids, heads and subscriptions are asked for once, at the start.
  await setTimeout(2 * BLOCK_MS);
}, 60_000);
afterAll(async () => {
  await rig?.stop();
  await pair?.stop();
});

describe("a gateway that nobody calls, with three upstreams", () => {
  let asked: ReadonlyMap<string, readonly number[]>;

  beforeAll(async () => {
    const counts = () =>
      new Map(rig.networks.map(({ name, proxies }) => [name, proxies.map((each) => each.count())]));
    const before = counts();
    for (let block = 0; block < BLOCKS; block += 1) {
      await pair.mine(1);
      await setTimeout(BLOCK_MS);
    }
    const after = counts();
    asked = new Map(
      [...after].map(([name, calls]) => [
        name,
        calls.map((count, at) => count - (before.get(name)?.[at] ?? 0)),
      ]),
    );
  }, 60_000);

  test("asks each at most once a block", () => {
    for (const calls of asked.get("polled") ?? []) {
      expect(calls).toBeGreaterThan(0);
      expect(calls).toBeLessThanOrEqual(BLOCKS + ALLOWED_AT_FIRST);
    }
  });

  test("asks those that tell of their blocks nothing at all", () => {
    expect(asked.get("told")).toEqual([0, 0, 0]);
  });
});

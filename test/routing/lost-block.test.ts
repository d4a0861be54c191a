import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rpc } from "../../src/dev/rpc.ts";
import { type ChainPair, startChainPair } from "../support/chain-pair.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { ask, type Customer, customerOf } from "./client.ts";

/** Nobody listens there. */
const NOWHERE = "http://127.0.0.1:1";
/** Longer than a call waits for a primary before partners are asked. */
const LOST_MS = 1300;

let pair: ChainPair;
let gateway: TestGateway;
let customers: Readonly<Record<"free" | "growth", Customer>>;

beforeAll(async () => {
  pair = await startChainPair({ count: 1 });
  const [node] = pair.nodes;
  gateway = await startTestGateway({
    networks: [
      {
        ...{ name: "net", family: "evm", chainId: 31_337, partnerCaps: { day: 100 } },
        upstreams: [
          { name: "own", url: node?.url },
          { name: "paid", url: NOWHERE, role: "partner" },
        ],
      },
    ],
  });
  customers = {
    free: await customerOf(gateway.storage, "free"),
    growth: await customerOf(gateway.storage, "growth"),
  };
});
afterAll(async () => {
  await gateway?.stop();
  await pair?.stop();
});

test.each(["free", "growth"] as const)(
  "a call for the newest block is answered where its node loses that block for a moment (%s)",
  async (plan) => {
    const url = `${gateway.origin}/net/v3/${customers[plan].key}`;
    const node = pair.nodes[0]?.url ?? "";
    const number = async () =>
      Number((await ask(gateway.http(), { method: "eth_blockNumber" })).body.result);
    // Its parents are known once it has seen some.
    for (let block = 0; block < 2; block += 1) {
      await rpc(node, "anvil_mine", ["0x1"]);
      const mined = Number(await rpc(node, "eth_blockNumber", []));
      await expect.poll(number, { timeout: 10_000 }).toBe(mined);
    }
    await rpc(node, "anvil_rollback", [1]);
    const { sender } = pair.samples.accounts;
    const answer = ask(url, { method: "eth_getBalance", params: [sender, "latest"] });
    await setTimeout(LOST_MS);
    await rpc(node, "anvil_mine", ["0x1"]);
    const { body } = await answer;
    expect(body.error).toBeUndefined();
    expect(body.result).toBe(await rpc(node, "eth_getBalance", [sender, "latest"]));
  },
);

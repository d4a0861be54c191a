import { afterEach, beforeEach, expect, test } from "vitest";
import { rpc } from "../../src/dev/rpc.ts";
import { type ChainPair, startChainPair } from "../support/chain-pair.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";
import { StreamClient } from "./stream.ts";
import { transfer } from "./transfer.ts";

let chain: ChainPair;
let proxy: TcpProxy;
let gateway: TestGateway;
let client: StreamClient;

const networkOf = (url: string) => ({
  ...{ name: "dev", family: "evm", pendingTransactions: true },
  upstreams: [{ name: "node", url, ws: url.replace("http", "ws") }],
});

const direct = (): string => chain.nodes[0]?.url ?? "";

beforeEach(async () => {
  chain = await startChainPair({ count: 1, blocks: 2 });
  proxy = await startTcpProxy(Number(new URL(direct()).port));
  gateway = await startTestGateway({ networks: [networkOf(`http://127.0.0.1:${proxy.port}`)] });
  client = await StreamClient.open(gateway.ws());
});
afterEach(async () => {
  client.end();
  await gateway.stop();
  await proxy.stop();
  await chain.stop();
});

/** The network is built anew, and the one before cannot reach its node any more. */
async function replaceNetwork(): Promise<void> {
  await gateway.reload([networkOf(direct())]);
  proxy.set("closed");
}

const numbersOf = async (id: string, count: number) =>
  (await client.until(id, count)).map(({ result }) =>
    Number(result["blockNumber"] ?? result["number"]),
  );

test("heads and logs are told as before by a network that was built anew", async () => {
  const heads = await client.subscribe("newHeads");
  const logs = await client.subscribe("logs", {});
  const first = chain.head() + 1;
  await transfer(chain);
  await numbersOf(logs, 1);
  await replaceNetwork();
  for (let amount = 2n; amount <= 4n; amount += 1n) await transfer(chain, amount);
  const expected = [first, first + 1, first + 2, first + 3];
  expect(await numbersOf(heads, 4)).toEqual(expected);
  expect(await numbersOf(logs, 4)).toEqual(expected);
});

test("a reload loses no waiting transaction: until the new network's stream is open the one before tells of them, each once", async () => {
  const pending = await client.subscribe("newPendingTransactions");
  // The gateway's stream to the node may not be open yet.
  do await transfer(chain);
  while (client.of(pending).length === 0);
  const before = client.of(pending).length;
  await gateway.reload([networkOf(direct())]);
  for (let amount = 1n; amount <= 3n; amount += 1n) await transfer(chain, amount);
  const told = (await client.until(pending, before + 3)).map(({ result }) => String(result));
  expect(new Set(told).size).toBe(before + 3);
  expect(client.of(pending)).toHaveLength(before + 3);
  // From now on it has the new network's stream alone.
  proxy.set("closed");
  do await transfer(chain);
  while (client.of(pending).length === before + 3);
});

test("a filter goes on where it was, and a reorganisation that came with it is told", async () => {
  const filter = await rpc<string>(gateway.http(), "eth_newFilter", [{}]);
  const logs = await client.subscribe("logs", {});
  const changes = () =>
    rpc<readonly { readonly removed: boolean }[]>(gateway.http(), "eth_getFilterChanges", [filter]);
  for (let amount = 1n; amount <= 2n; amount += 1n) await transfer(chain, amount);
  await numbersOf(logs, 2);
  expect((await changes()).map(({ removed }) => removed)).toEqual([false, false]);
  proxy.set("hole");
  await rpc(direct(), "anvil_reorg", [1, []]);
  await transfer(chain, 9n);
  await replaceNetwork();
  const told = (await client.until(logs, 4)).slice(2).map(({ result }) => result["removed"]);
  expect(told).toEqual([true, false]);
  expect((await changes()).map(({ removed }) => removed)).toEqual([true, false]);
});

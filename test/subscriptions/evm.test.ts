import { afterEach, beforeEach, expect, test } from "vitest";
import { rpc } from "../../src/dev/rpc.ts";
import { CONTRACT } from "../../src/dev/samples.ts";
import { type ChainPair, startChainPair } from "../support/chain-pair.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { StreamClient } from "./stream.ts";
import { transfer } from "./transfer.ts";

let chain: ChainPair;
let gateway: TestGateway;
const clients: StreamClient[] = [];

beforeEach(async () => {
  chain = await startChainPair({ count: 1, blocks: 2 });
  const upstreams = chain.nodes.map(({ url, wsUrl }, index) => ({
    ...{ name: `node-${index}`, url, ws: wsUrl },
  }));
  gateway = await startTestGateway({ networks: [{ name: "dev", family: "evm", upstreams }] });
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.end();
  await gateway.stop();
  await chain.stop();
});

const open = async (url: string): Promise<StreamClient> => {
  const client = await StreamClient.open(url);
  clients.push(client);
  return client;
};

const node = () => chain.nodes[0] as ChainPair["nodes"][number];

/** anvil tells of whole blocks. */
function asHeader(result: Readonly<Record<string, unknown>>) {
  const { transactions, uncles, withdrawals, size, totalDifficulty, ...header } = result;
  return header;
}

test("new heads and logs are told as the node itself tells them", async () => {
  const [direct, client] = [await open(node().wsUrl), await open(gateway.ws())];
  const filters = [{ address: CONTRACT }, {}, null, { address: [CONTRACT], topics: [null, []] }];
  const heads = await Promise.all([direct.subscribe("newHeads"), client.subscribe("newHeads")]);
  const logs = await Promise.all(
    filters.map(async (filter) => [
      await direct.subscribe("logs", filter ?? {}),
      await client.subscribe("logs", filter),
    ]),
  );
  for (let amount = 1n; amount <= 3n; amount += 1n) await transfer(chain, amount);
  await chain.mine(2);
  for (const [own = "", ours = ""] of [heads, ...logs]) {
    const told = await direct.until(own, own === heads[0] ? 5 : 3);
    const ownResults = told.map(({ result }) => asHeader(result));
    const ourResults = (await client.until(ours, told.length)).map(({ result }) => result);
    expect(ourResults).toEqual(ownResults);
  }
});

test("after a reorganisation removed logs come first, newest first, and then those of the new branch", async () => {
  const client = await open(gateway.ws());
  const [heads, logs] = [await client.subscribe("newHeads"), await client.subscribe("logs", {})];
  for (let amount = 1n; amount <= 3n; amount += 1n) await transfer(chain, amount);
  const before = await client.until(logs, 3);
  await rpc(node().url, "anvil_reorg", [2, []]);
  await transfer(chain, 9n);
  const told = (await client.until(logs, 6)).slice(3).map(({ result }) => result);
  const [, second, third] = before.map(({ result }) => result);
  expect(told.slice(0, 2)).toEqual([
    { ...third, removed: true },
    { ...second, removed: true },
  ]);
  expect(told[2]).toMatchObject({ removed: false, blockNumber: `0x${chain.head().toString(16)}` });
  const numbers = (await client.until(heads, 6)).map(({ result }) => Number(result["number"]));
  expect(numbers).toEqual([5, 6, 7, 6, 7, 8]);
});

test("who was away goes on from its cursor, at the last head, or at the last log that it has", async () => {
  const first = await open(gateway.ws());
  const [heads, logs] = [await first.subscribe("newHeads"), await first.subscribe("logs", {})];
  await transfer(chain);
  const [head] = await first.until(heads, 1);
  const [log] = await first.until(logs, 1);
  first.end();
  for (let amount = 2n; amount <= 4n; amount += 1n) await transfer(chain, amount);
  const second = await open(gateway.ws());
  const { blockHash, logIndex } = log?.result ?? {};
  const hash = head?.result["hash"];
  for (const resume of [head?.cursor, { blockHash: hash }]) {
    const id = await second.subscribe("newHeads", { resume });
    const numbers = (await second.until(id, 3)).map(({ result }) => Number(result["number"]));
    expect(numbers).toEqual([6, 7, 8]);
  }
  for (const resume of [log?.cursor, { blockHash, logIndex }, { blockHash: hash }]) {
    const id = await second.subscribe("logs", {}, { resume });
    const numbers = (await second.until(id, 3)).map(({ result }) => Number(result["blockNumber"]));
    expect(numbers).toEqual([6, 7, 8]);
  }
});

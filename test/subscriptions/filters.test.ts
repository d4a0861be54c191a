import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rpc } from "../../src/dev/rpc.ts";
import { CONTRACT } from "../../src/dev/samples.ts";
import { FILTER_MS } from "../../src/storage/filter-store.ts";
import { openMemory } from "../../src/storage/memory.ts";
import { type BreakableStorage, breakable } from "../store-faults/breakable-storage.ts";
import { type ChainPair, startChainPair } from "../support/chain-pair.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { StreamClient } from "./stream.ts";
import { transfer } from "./transfer.ts";

type Log = {
  readonly blockHash: string;
  readonly logIndex: string;
  readonly removed: boolean;
};

const NOT_FOUND = { code: -32000, message: "filter not found" };
const PLANS = {
  small: { dailyCredits: 1e6, creditsPerSecond: 1e5, maxSubscriptions: 2 },
  /** A filter of logs, its logs, and a filter of blocks. */
  exact: { dailyCredits: 80 + 255 + 80, creditsPerSecond: 1e5 },
};

let chain: ChainPair;
let stores: BreakableStorage;
/** Of one fleet. */
let gateways: readonly TestGateway[];

beforeAll(async () => {
  chain = await startChainPair({ count: 1, blocks: 2 });
  const upstreams = chain.nodes.map(({ url, wsUrl }) => ({ name: "node", url, ws: wsUrl }));
  const networks = ["dev", "other"].map((name) => ({
    ...{ name, family: "evm", upstreams, pendingTransactions: true },
  }));
  stores = breakable(openMemory());
  const { storage } = stores;
  const options = { networks, storage, plans: PLANS };
  const account = "second@example.com";
  gateways = [await startTestGateway(options), await startTestGateway({ ...options, account })];
});
afterAll(async () => {
  for (const gateway of gateways ?? []) await gateway.stop();
  await chain?.stop();
});

const nodeUrl = () => chain.nodes[0]?.url ?? "";
const at = (place: number) => gateways[place % 2] as TestGateway;
/** Any gateway with the first one's key. */
const urlOf = (place = 0, { key = at(0).key, network = "dev" } = {}) =>
  `${at(place).origin}/${network}/v3/${key}`;
const ask = async (url: string, method: string, ...params: readonly unknown[]) => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body });
  return (await response.json()) as { readonly result?: unknown; readonly error?: unknown };
};
const changes = (url: string, id: string) => rpc<unknown[]>(url, "eth_getFilterChanges", [id]);
/** Asked until there are so many. */
const gather = async (id: string, count: number): Promise<unknown[]> => {
  const all: unknown[] = [];
  while (all.length < count) all.push(...(await changes(urlOf(), id)));
  return all;
};

test("filters tell what the node's own filters tell, by HTTP", async () => {
  const made: readonly [string, ...unknown[]][] = [
    ["eth_newBlockFilter"],
    ["eth_newPendingTransactionFilter"],
    ["eth_newFilter", {}],
    ["eth_newFilter", { address: [CONTRACT], topics: [null, []] }],
    ["eth_newFilter", { address: `0x${"9".repeat(40)}` }],
  ];
  const filters = await Promise.all(
    made.map(async ([method, ...params]) => [
      await rpc<string>(nodeUrl(), method, params),
      await rpc<string>(urlOf(), method, params),
    ]),
  );
  for (let amount = 1n; amount <= 3n; amount += 1n) await transfer(chain, amount);
  for (const [own = "", ours = ""] of filters) {
    const told = await changes(nodeUrl(), own);
    expect(await gather(ours, told.length)).toEqual(told);
    expect(await changes(urlOf(), ours)).toEqual([]);
    expect(await rpc(urlOf(), "eth_uninstallFilter", [ours])).toBe(true);
    expect(await rpc(urlOf(), "eth_uninstallFilter", [ours])).toBe(false);
  }
});

test("a filter with blocks tells of new blocks alone, and of those among them", async () => {
  const next = chain.head() + 1;
  const ranges = [
    [{ fromBlock: "earliest" }, 3],
    [{ fromBlock: `0x${(next + 1).toString(16)}` }, 2],
    [{ fromBlock: "0x0", toBlock: `0x${next.toString(16)}` }, 1],
  ] as const;
  const ids = await Promise.all(
    ranges.map(([range]) =>
      rpc<string>(urlOf(), "eth_newFilter", [{ ...range, address: CONTRACT }]),
    ),
  );
  const all = await rpc<string>(urlOf(), "eth_newBlockFilter", []);
  for (let amount = 5n; amount <= 7n; amount += 1n) await transfer(chain, amount);
  await gather(all, 3);
  for (const [place, [, count]] of ranges.entries()) {
    expect(await changes(urlOf(), ids[place] ?? "")).toHaveLength(count);
  }
});

test("any gateway of a fleet goes on where another one ended, over reorganisations too", async () => {
  const urls = [urlOf(0), urlOf(1)];
  // anvil forgets a block that is replaced at once: both gateways have to know its logs before.
  const watching = await Promise.all(gateways.map((gateway) => StreamClient.open(gateway.ws())));
  const ids = await Promise.all(watching.map((client) => client.subscribe("logs", {})));
  let watched = 0;
  const allKnow = async (more: number) => {
    watched += more;
    await Promise.all(watching.map((client, at) => client.until(ids[at] ?? "", watched)));
  };
  const fromBlock = `0x${(chain.head() + 1).toString(16)}`;
  const blocks = await rpc<string>(urlOf(), "eth_newBlockFilter", []);
  const logs = await rpc<string>(urlOf(), "eth_newFilter", [{ address: CONTRACT }]);
  const told = new Map<string, Log>();
  const hashes: unknown[] = [];
  const take = async (url = ""): Promise<void> => {
    for (const log of (await changes(url, logs)) as Log[]) {
      const name = `${log.blockHash} ${log.logIndex}`;
      expect(told.has(name)).toBe(log.removed);
      if (log.removed) told.delete(name);
      else told.set(name, log);
    }
  };
  for (let turn = 0; turn < 12; turn += 1) {
    await transfer(chain, BigInt(turn + 10));
    await allKnow(1);
    if (turn % 3 === 2) {
      await rpc(nodeUrl(), "anvil_reorg", [2, []]);
      await allKnow(2);
    }
    await take(urls[turn % 2]);
    hashes.push(...(await changes(urls[(turn + 1) % 2] ?? "", blocks)));
  }
  const wanted = await rpc<Log[]>(nodeUrl(), "eth_getLogs", [{ fromBlock }]);
  await expect
    .poll(async () => {
      await take(urls[1]);
      hashes.push(...(await changes(urlOf(0), blocks)));
      return [...told.keys()].sort();
    })
    .toEqual(wanted.map(({ blockHash, logIndex }) => `${blockHash} ${logIndex}`).sort());
  expect(new Set(hashes).size).toBe(hashes.length);
  const head = await rpc<{ hash: string }>(nodeUrl(), "eth_getBlockByNumber", ["latest", false]);
  expect(hashes).toContain(head.hash);
  for (const client of watching) client.end();
});

test("clients that ask one filter at once share what is new, each block once", async () => {
  const id = await rpc<string>(urlOf(), "eth_newBlockFilter", []);
  await chain.mine(5);
  await expect
    .poll(() => rpc(urlOf(1), "eth_blockNumber", []))
    .toBe(`0x${chain.head().toString(16)}`);
  const all = await Promise.all(
    Array.from({ length: 6 }, (_, turn) => ask(urlOf(turn), "eth_getFilterChanges", id)),
  );
  const told = all.flatMap(({ result }) => (result ?? []) as string[]);
  told.push(...((await changes(urlOf(), id)) as string[]));
  expect(told).toHaveLength(5);
  expect(new Set(told).size).toBe(5);
});

test("eth_getFilterLogs gives the logs of the filter's blocks, and counts as itself", async () => {
  const filter = { fromBlock: "0x1", toBlock: "latest", address: CONTRACT };
  const key = await at(0).keyOf("logs@example.com", "exact");
  const url = urlOf(0, { key });
  const id = await rpc<string>(url, "eth_newFilter", [filter]);
  const logs = await rpc<Log[]>(nodeUrl(), "eth_getLogs", [filter]);
  expect(logs.length).toBeGreaterThan(3);
  const blocks = await rpc<string>(url, "eth_newBlockFilter", []);
  expect((await ask(url, "eth_getFilterLogs", blocks)).error).toMatchObject(NOT_FOUND);
  expect(await rpc(url, "eth_getFilterLogs", [id])).toEqual(logs);
  expect((await ask(url, "eth_newBlockFilter")).error).toMatchObject({ code: 402 });
  const metrics = await (await at(0).admin("/metrics")).text();
  expect(metrics).toContain('method="eth_getFilterLogs"');
});

describe("is not found", () => {
  test("by another key, on another network, by no id of a filter", async () => {
    const id = await rpc<string>(urlOf(), "eth_newBlockFilter", []);
    const key = await at(0).keyOf("other@example.com");
    for (const url of [urlOf(0, { key }), urlOf(0, { network: "other" })]) {
      expect((await ask(url, "eth_getFilterChanges", id)).error).toMatchObject(NOT_FOUND);
      expect((await ask(url, "eth_uninstallFilter", id)).result).toBe(false);
    }
    for (const wrong of ["0x1", "", `0x${"a".repeat(10_000)}`]) {
      expect((await ask(urlOf(), "eth_getFilterChanges", wrong)).error).toMatchObject(NOT_FOUND);
    }
    expect(await changes(urlOf(), id)).toEqual([]);
  });

  test("five minutes after it was asked last", async () => {
    const id = await rpc<string>(urlOf(), "eth_newBlockFilter", []);
    const { filters } = stores.storage;
    const found = await filters.find(id, Date.now());
    const from = found?.place ?? "";
    const longAgo = Date.now() - FILTER_MS;
    await filters.move({ id, from, to: from, move: "m" }, longAgo);
    expect((await ask(urlOf(), "eth_getFilterChanges", id)).error).toMatchObject(NOT_FOUND);
  });
});

describe("bad input is refused", () => {
  test.each([
    ["eth_newFilter", [{ fromBlock: "pending" }], "pending logs are not supported"],
    ["eth_newFilter", [{ fromBlock: "latest", toBlock: "0x5" }], "invalid block range params"],
    ["eth_newFilter", [{ fromBlock: "finalized" }], "invalid block range params"],
    ["eth_newFilter", [{ address: "0x12" }], "invalid address"],
    ["eth_newFilter", [], "missing value for required argument 0"],
    ["eth_newPendingTransactionFilter", [true], "a filter tells hashes alone"],
    ["eth_getFilterChanges", [5], "cannot unmarshal number"],
  ])("%s %j", async (method, params, text) => {
    const { error } = await ask(urlOf(), method, ...params);
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(text) });
  });

  test("a filter beyond 65,536 bytes, and one more than the plan has", async () => {
    const key = await at(0).keyOf("many@example.com", "small");
    const url = urlOf(0, { key });
    const topics = Array.from({ length: 1000 }, () => `0x${randomBytes(32).toString("hex")}`);
    const large = await ask(url, "eth_newFilter", { topics: [topics] });
    expect(large.error).toMatchObject({
      code: -32602,
      message: expect.stringContaining("too large"),
    });
    const [first] = [await rpc<string>(url, "eth_newBlockFilter", [])];
    await rpc(url, "eth_newFilter", [{}]);
    const beyond = await ask(url, "eth_newBlockFilter");
    expect(beyond.error).toMatchObject({
      code: -32602,
      message: "too many filters: this key has 2, which is all that its plan has; remove some",
    });
    await rpc(url, "eth_uninstallFilter", [first]);
    await rpc(url, "eth_newBlockFilter", []);
  });
});

test("a key's list of contracts holds for its filters, also where it is newer than they are", async () => {
  const key = await at(0).keyOf("list@example.com");
  const url = urlOf(0, { key });
  const id = await rpc<string>(url, "eth_newFilter", [{ address: CONTRACT }]);
  const blocks = await rpc<string>(url, "eth_newBlockFilter", []);
  const account = await stores.storage.accounts.findByEmail("list@example.com");
  const [owned] = await stores.storage.keys.list(account?.id);
  await stores.storage.keys.update(owned?.key.id ?? "", {
    allow: { contract: [`0x${"1".repeat(40)}`] },
  });
  for (const method of ["eth_getFilterChanges", "eth_getFilterLogs"]) {
    await expect.poll(async () => (await ask(url, method, id)).error).toMatchObject({ code: 403 });
  }
  expect((await ask(url, "eth_newFilter", {})).error).toMatchObject({ code: 403 });
  expect((await ask(url, "eth_getFilterChanges", blocks)).result).toEqual([]);
});

test("while the store does not answer, filters are refused for nothing and lose nothing", async () => {
  const id = await rpc<string>(urlOf(), "eth_newBlockFilter", []);
  await chain.mine(2);
  stores.broken.set("filters", "the disk is full");
  for (const [method, ...params] of [
    ["eth_getFilterChanges", id],
    ["eth_getFilterLogs", id],
    ["eth_newBlockFilter"],
    ["eth_uninstallFilter", id],
  ] as const) {
    const { error } = await ask(urlOf(), method, ...params);
    expect(error).toMatchObject({
      code: -32603,
      message: "filters cannot be read at the moment",
    });
  }
  stores.broken.clear();
  expect(await gather(id, 2)).toHaveLength(2);
});

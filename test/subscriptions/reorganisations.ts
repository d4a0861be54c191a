/** Real nodes that replace their newest blocks again and again, behind four faulty ways, and who listens to that. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeCall } from "../../src/dev/abi.ts";
import { rpc } from "../../src/dev/rpc.ts";
import { CONTRACT } from "../../src/dev/samples.ts";
import { SeededRandom } from "../simulation/seeded-random.ts";
import { type ChainPair, quantity, startChainPair } from "../support/chain-pair.ts";
import { type FaultProxy, startFaultProxy } from "../support/fault-proxy.ts";
import { type Fault, NONE } from "../support/faults.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { ResumingClient } from "./resuming-client.ts";

const DEEPEST = 10;
const CLIENTS = 4;
/** Gateways are to see most of the branches: nodes forget what they replace at once. */
const PAUSE_MS = 200;
/** Everybody has everything by then once nodes are well: a question to one that hung takes five seconds. */
const SETTLED_MS = 60_000;
/** Another node answers meanwhile. One that is on another fork is not the first of them. */
const FAULTS: readonly Fault[] = [
  { kind: "latency", ms: 300 },
  { kind: "reset", when: "before headers" },
  { kind: "hang" },
  { kind: "half-open" },
  { kind: "garbage" },
  { kind: "truncated", by: "length" },
  { kind: "status", status: 500 },
  { kind: "status", status: 429 },
  { kind: "stale" },
];

/** `times`: how often the newest blocks are replaced, by 1 to 10 others. */
export function expectNothingLost(times: number, seed: number): void {
  let chain: ChainPair;
  const ways: FaultProxy[] = [];
  const gateways: TestGateway[] = [];
  const clients: ResumingClient[] = [];

  beforeAll(async () => {
    chain = await startChainPair({ blocks: 12 });
    for (const node of [...chain.nodes, ...chain.nodes]) ways.push(await startFaultProxy(node));
    const upstreams = ways.map(({ url, wsUrl }, index) => ({
      ...{ name: `way-${index}`, url, ws: wsUrl },
    }));
    const networks = [{ name: "dev", family: "evm", upstreams }];
    for (let each = 0; each < 2; each += 1) gateways.push(await startTestGateway({ networks }));
  });
  afterAll(async () => {
    for (const client of clients) client.cut();
    for (const { stop } of [...gateways, ...ways]) await stop();
    await chain?.stop();
  });

  const firstUrl = (): string => chain.nodes[0]?.url ?? "";
  const onAll = async (method: string, params: readonly unknown[]): Promise<void> => {
    for (const { url } of chain.nodes) await rpc(url, method, params);
  };

  test(
    `over ${times} reorganisations under faults, cuts and changes of gateway, heads and logs are those of the chain`,
    async () => {
      const random = new SeededRandom(seed);
      let amount = 0n;
      const transfer = () => {
        amount += 1n;
        const { sender: from, receiver: to } = chain.samples.accounts;
        const data = encodeCall("transfer(address,uint256)", [to, amount]);
        return { from, to: CONTRACT, data, gas: "0x30d40" };
      };
      const urls = gateways.map((gateway) => gateway.ws());
      // Who stays: a gateway knows what it has told somebody, also once nodes have forgotten it.
      for (const url of urls) clients.push(await ResumingClient.open([url], firstUrl()));
      while (clients.length < CLIENTS + urls.length) {
        clients.push(await ResumingClient.open(urls, firstUrl()));
      }
      // Nodes forget what they replace, so gateways have to know as many blocks as are replaced.
      await onAll("anvil_mine", [quantity(DEEPEST + 2)]);
      await expect
        .poll(() => Promise.all(clients.map((client) => client.missing())))
        .toEqual(clients.map(() => ""));
      for (let time = 0; time < times; time += 1) {
        const way = random.pick(ways);
        const isWell = ways.filter((one) => one.fault() === NONE).length;
        if (way.fault() !== NONE) await way.set(NONE);
        else if (isWell > 2) await way.set(random.pick(FAULTS));
        await onAll("eth_sendTransaction", [transfer()]);
        await onAll("anvil_mine", [quantity(random.int(1, 3))]);
        await sleep(random.int(0, PAUSE_MS));
        const depth = random.int(1, DEEPEST);
        const marks = Array.from({ length: random.int(1, Math.min(depth, 3)) }, (_, at) => [
          transfer(),
          at,
        ]);
        await onAll("anvil_reorg", [depth, marks]);
        if (random.chance(0.3)) await onAll("anvil_mine", ["0x1"]);
        const client = random.pick(clients);
        if (random.chance(0.3)) client.cut();
        for (const one of clients) if (random.chance(0.3)) await one.connect(random.next());
        await sleep(random.int(0, PAUSE_MS));
      }
      for (const way of ways) await way.set(NONE);
      await onAll("anvil_mine", ["0x1"]);
      const missing = async (client: ResumingClient) => {
        await client.connect(0);
        return client.missing();
      };
      await expect
        .poll(() => Promise.all(clients.map(missing)), { timeout: SETTLED_MS })
        .toEqual(clients.map(() => ""));
      const faults = clients.flatMap((client) => client.faults);
      expect(faults).toEqual([]);
      // That it took place.
      const sum = (name: keyof ResumingClient["tally"]) =>
        clients.reduce((all, { tally }) => all + tally[name], 0);
      expect(sum("heads")).toBeGreaterThan(10 * times);
      expect(sum("removed")).toBeGreaterThan(times);
      expect(sum("resumed")).toBeGreaterThan(times / 4);
      expect(sum("anew")).toBeLessThan(clients.length + times / 10);
    },
    120_000 + times * 2000,
  );
}

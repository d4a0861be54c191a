import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask } from "../routing/client.ts";
import { startGrowingNode } from "../support/growing-node.ts";
import type { StandInNode } from "../support/stand-in-node.ts";
import {
  type Customer,
  makeCustomer,
  openWorkplace,
  type Started,
  type Workplace,
} from "../support/started-gateway.ts";
import { StreamClient, type Told } from "./stream.ts";

const CREDITS = { subscribe: 5, head: 50, logs: 300, newFilter: 80, changes: 140 };
const DAILY = 100_000;
/** docs/credits.md: the most that a kill costs beside what was on its way to clients. */
const COST_OF_KILL = 1000;
const KILLS = 4;
const BLOCK_MS = 60;
/** Of a gateway's life: so many events, as soon as they come. */
const LIFE_EVENTS = 10;
const LIFE_LIMIT_MS = 15_000;

let node: StandInNode;
let workplace: Workplace;
let gateway: Started;

beforeAll(async () => {
  node = await startGrowingNode();
  workplace = await openWorkplace({
    server: { port: 0 },
    admin: { port: 0 },
    storage: { url: "sqlite:./tollgate.db" },
    plans: { some: { dailyCredits: DAILY, creditsPerSecond: DAILY } },
    networks: [
      { name: "net", family: "evm", chainId: 1, upstreams: [{ name: "node", url: node.url }] },
    ],
  });
  gateway = await workplace.start();
});
afterAll(async () => {
  await workplace?.clear();
  await node?.stop();
});

const usedBy = async (email: string): Promise<number> =>
  ((await workplace.json("usage", "--account", email)) as { readonly used: number }).used;

/** A client that subscribes to heads and logs, asks a filter, and counts what it was served. */
class Watcher {
  readonly #key: string;
  #stream: StreamClient | undefined;
  #filter: string | undefined;
  /** By what it subscribes to: the last cursor. */
  readonly #cursors = new Map<string, string>();
  readonly #kinds = new Map<string | number, string>();
  served = 0;
  told = 0;
  /** Calls whose answer a kill may have cut off. */
  doubtful = 0;

  constructor({ key }: Customer) {
    this.#key = key;
  }

  async connect(): Promise<void> {
    const url = `${gateway.origin.replace(/^http/, "ws")}/net/ws/v3/${this.#key}`;
    const stream = await StreamClient.open(url, (told) => this.#count(told));
    this.#stream = stream;
    for (const [kind, ...rest] of [["newHeads"], ["logs", {}]] as const) {
      const cursor = this.#cursors.get(kind);
      const resume = cursor === undefined ? [] : [{ resume: cursor }];
      const id = await stream.subscribe(kind, ...rest, ...resume);
      this.#kinds.set(id, kind);
      this.served += CREDITS.subscribe;
    }
  }

  #count({ subscription, cursor = "" }: Told): void {
    const kind = this.#kinds.get(subscription) ?? "newHeads";
    this.#cursors.set(kind, cursor);
    this.served += kind === "logs" ? CREDITS.logs : CREDITS.head;
    this.told += 1;
  }

  async poll(): Promise<void> {
    const method = this.#filter === undefined ? "eth_newBlockFilter" : "eth_getFilterChanges";
    const credits = this.#filter === undefined ? CREDITS.newFilter : CREDITS.changes;
    const params = this.#filter === undefined ? [] : [this.#filter];
    const call = { method, params };
    const answer = await ask(`${gateway.origin}/net/v3/${this.#key}`, call).catch(() => undefined);
    const result = answer?.body.result;
    if (answer === undefined) this.doubtful += credits;
    else if (result !== undefined) this.served += credits;
    if (this.#filter === undefined) this.#filter = result as string | undefined;
  }

  /** Until it was told of so many more events. */
  async watch(events: number): Promise<void> {
    const enough = this.told + events;
    const endMs = performance.now() + LIFE_LIMIT_MS;
    while (this.told < enough && performance.now() < endMs) {
      node.head += 1;
      await this.poll();
      await setTimeout(BLOCK_MS);
    }
  }

  leave(): void {
    this.#stream?.end();
  }
}

test("what a client is charged is what it was served, over WebSocket and HTTP, to the credit", async () => {
  const email = "exact@example.com";
  const watcher = new Watcher(await makeCustomer(workplace, { email, plan: "some" }));
  await watcher.connect();
  await watcher.watch(2 * LIFE_EVENTS);
  await setTimeout(500);
  watcher.leave();
  expect(watcher.told).toBeGreaterThanOrEqual(2 * LIFE_EVENTS);
  expect(watcher.doubtful).toBe(0);
  await expect.poll(() => usedBy(email), { timeout: 10_000 }).toBe(watcher.served);
});

test("and across kills never less, and more by no more than the documented cost", async () => {
  const email = "killed@example.com";
  const watcher = new Watcher(await makeCustomer(workplace, { email, plan: "some" }));
  for (let kills = 0; kills < KILLS; kills += 1) {
    await watcher.connect();
    await watcher.watch(LIFE_EVENTS);
    gateway.process.kill("SIGKILL");
    await gateway.process.ended;
    watcher.leave();
    gateway = await workplace.start();
  }
  await watcher.connect();
  await watcher.watch(LIFE_EVENTS);
  await setTimeout(500);
  watcher.leave();
  // What was on its way to the client at a kill: of a block or two.
  const onTheWay = 2 * (CREDITS.head + CREDITS.logs);
  const most = watcher.served + watcher.doubtful + KILLS * (COST_OF_KILL + onTheWay);
  expect(watcher.told).toBeGreaterThanOrEqual((KILLS + 1) * LIFE_EVENTS);
  await expect.poll(() => usedBy(email), { timeout: 10_000 }).toBeLessThanOrEqual(most);
  expect(await usedBy(email)).toBeGreaterThanOrEqual(watcher.served);
});

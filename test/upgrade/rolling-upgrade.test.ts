import { afterAll, beforeAll, expect, test } from "vitest";
import type { FleetOverview } from "../../src/fleet/gateways.ts";
import { type CountingNode, startCountingNode } from "../credits/calls.ts";
import { ask } from "../http/ask.ts";
import { newSchema, sharedPostgres } from "../support/postgres.ts";
import { openWorkplace, type Started, type Workplace } from "../support/started-gateway.ts";
import type { TollgateOptions } from "../support/tollgate-process.ts";
import { recordKey } from "../support/written.ts";
import { type PreviousProgram, previousProgram } from "./previous-program.ts";

const PRICE = 80;
const CLIENTS = 16;
const CALLS_BETWEEN_STEPS = 300;
const EMAIL = "ada@example.com";
const NOW: TollgateOptions = {};

let node: CountingNode;
let previous: PreviousProgram;
let before: TollgateOptions;
const machines: Workplace[] = [];

beforeAll(async () => {
  node = await startCountingNode();
  previous = previousProgram();
  before = previous.options;
  const storage = { url: await sharedPostgres(), schema: newSchema(), poolSize: 4 };
  for (let number = 0; number < 2; number += 1) {
    const config = {
      ...{ server: { port: 0 }, admin: { port: 0 }, storage },
      plans: { day: { dailyCredits: 1_000_000_000, creditsPerSecond: 10_000_000 } },
      networks: [
        { name: "node", family: "evm", chainId: 1, upstreams: [{ name: "node", url: node.url }] },
      ],
    };
    machines.push(await openWorkplace(config, before));
  }
});
afterAll(async () => {
  await Promise.all(machines.map((machine) => machine.clear()));
  await node?.stop();
  previous?.remove();
});

/** Clients of a load balancer, which gives each call to the next of the gateways in use. */
class Load {
  /** With their calls in the air. */
  readonly #inUse = new Map<Started, Set<Promise<void>>>();
  served = 0;
  readonly faults: string[] = [];
  readonly #key: string;
  #sent = 0;
  #isOver = false;
  readonly #clients: readonly Promise<void>[];

  constructor(key: string, gateways: readonly Started[]) {
    this.#key = key;
    for (const gateway of gateways) this.use(gateway);
    this.#clients = Array.from({ length: CLIENTS }, () => this.#client());
  }

  use(gateway: Started): void {
    this.#inUse.set(gateway, new Set());
  }

  /** No new calls; resolves when those that it has are answered. */
  async drain(gateway: Started): Promise<void> {
    const inAir = this.#inUse.get(gateway) ?? [];
    this.#inUse.delete(gateway);
    await Promise.all(inAir);
  }

  /** Resolves when so many more were served. */
  async more(calls: number): Promise<void> {
    const enough = this.served + calls;
    await expect
      .poll(() => this.served + this.faults.length, { timeout: 20_000 })
      .toBeGreaterThan(enough);
  }

  /** As a load balancer and an operator do it: no new calls, then the end, then the next one, then calls. */
  async replace(old: Started, machine: Workplace, program: TollgateOptions): Promise<Started> {
    await this.drain(old);
    old.process.kill("SIGTERM");
    expect((await old.process.ended).code).toBe(0);
    const next = await machine.start(program);
    this.use(next);
    await this.more(CALLS_BETWEEN_STEPS);
    return next;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
  }

  async #client(): Promise<void> {
    while (!this.#isOver) {
      this.#sent += 1;
      const gateways = [...this.#inUse];
      const [gateway, inAir] = gateways[this.#sent % gateways.length] ?? [];
      if (gateway === undefined) throw new Error("no gateway is in use");
      const call = this.#call(gateway, this.#sent);
      inAir?.add(call);
      await call;
      inAir?.delete(call);
    }
  }

  async #call({ port }: Started, number: number): Promise<void> {
    const params = [`0x${String(number).padStart(40, "0")}`, "latest"];
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBalance", params });
    try {
      const { status, text } = await ask(port, { target: `/node/v3/${this.#key}`, body });
      if (status === 200 && !text.includes('"error"')) this.served += 1;
      else this.faults.push(`${status} ${text}`);
    } catch (error) {
      this.faults.push(String(error));
    }
  }
}

async function namesListedBy({ adminPort }: Started): Promise<readonly string[]> {
  const { text } = await ask(adminPort, { method: "GET", target: "/fleet" });
  return (JSON.parse(text) as FleetOverview).gateways.map(({ name }) => name);
}

test("gateways go one by one from the version before to this one, back and again: no call fails, each is charged once", async () => {
  const [east, west] = machines;
  if (east === undefined || west === undefined) throw new Error("there are no machines");
  await east.json("accounts", "create", EMAIL, "--plan", "day");
  const made = await east.json("keys", "create", "--account", EMAIL, "--name", "a");
  const { key = "" } = (made ?? {}) as { key?: string };
  recordKey(key);
  const [eastBefore, westBefore] = [await east.start(before), await west.start(before)];
  const load = new Load(key, [eastBefore, westBefore]);
  await load.more(CALLS_BETWEEN_STEPS);

  const eastNow = await load.replace(eastBefore, east, NOW);
  // The other one of the version before goes on, on the schema of this one, and can be started again.
  const westAgain = await load.replace(westBefore, west, before);
  const eastBack = await load.replace(eastNow, east, before);
  const westNow = await load.replace(westAgain, west, NOW);
  const eastLast = await load.replace(eastBack, east, NOW);
  await load.end();

  expect(load.faults).toEqual([]);
  expect(await namesListedBy(eastLast)).toHaveLength(2);
  for (const { process } of [eastLast, westNow]) {
    process.kill("SIGTERM");
    expect((await process.ended).code).toBe(0);
  }
  const charged = load.served * PRICE;
  expect(await east.json("usage", "--account", EMAIL)).toMatchObject({
    used: charged,
    calls: [{ method: "eth_getBalance", calls: load.served, credits: charged }],
  });
});

import { setTimeout } from "node:timers/promises";
import { type Random, seeded, startCountingNode } from "../credits/calls.ts";
import { ask } from "../http/ask.ts";
import { newSchema } from "../support/postgres.ts";
import { startPostgresServer } from "../support/postgres-server.ts";
import {
  type Customer,
  makeCustomer,
  openWorkplace,
  type Started,
  type Workplace,
} from "../support/started-gateway.ts";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";
import { recordKey } from "../support/written.ts";

export type ChaosOptions = {
  readonly gateways: number;
  readonly clients: number;
  readonly gatewayKills: number;
  readonly databaseKills: number;
  readonly seed: number;
};

/** What became of one account. Credits. */
export type Books = {
  readonly limit: number;
  /** What the database has as used once everything has gone back. */
  readonly used: number;
  readonly served: number;
  /** Of calls whose connection broke: nobody knows whether they were served. */
  readonly doubtful: number;
};

export type Chaos = {
  readonly accounts: readonly Books[];
  /** From when the database accepted connections again until the last gateway served a call. */
  readonly servedAgainMs: readonly number[];
  /** Statuses that no client should have seen. */
  readonly odd: ReadonlySet<number>;
  readonly kills: number;
  /** Gateways that said that the database had lost commits. */
  readonly falseAlarms: number;
};

const PRICE = 80;
const PLAN = { dailyCredits: 400_000, creditsPerSecond: 100_000 };
const ACCOUNTS = 6;
const BETWEEN_MS = 400;
const AWAY_MS = 700;
const GIVEN_UP_MS = 10_000;
/** Unspent credits go back 1 s after the last call; a connection that was begun in a hole is given up in 2. */
const SETTLED_MS = 5000;
const LOSS = "the storage misses what it had committed";
/** Served; the balance, the rate; no credits to be had at this moment. */
const EXPECTED = [200, 402, 429, 503];

type Spender = Customer & { served: number; doubtful: number };

/** A gateway as its operator has it: it is started again when it ends. */
type Machine = {
  readonly workplace: Workplace;
  readonly proxy: TcpProxy;
  gateway: Started | undefined;
};

/**
 * Gateway processes on one database, each behind a proxy, and clients that spend six balances, while gateways
 * and the database are killed and connections are cut, lose answers and pass nothing on.
 */
export async function chaos(options: ChaosOptions): Promise<Chaos> {
  const node = await startCountingNode();
  const server = await startPostgresServer({ fsync: "off", max_connections: "300" });
  recordKey(server.password);
  const schema = newSchema();
  const machines: Machine[] = [];
  const world = new World(options, machines);
  try {
    for (let n = 0; n < options.gateways; n += 1) {
      const proxy = await startTcpProxy(server.port);
      const url = server.url.replace(`:${server.port}/`, `:${proxy.port}/`);
      const upstreams = [{ name: "node", url: node.url }];
      const workplace = await openWorkplace({
        server: { port: 0 },
        admin: { port: 0 },
        storage: { ...{ url, schema, poolSize: 4, statementTimeoutMs: 1000 }, ...journalOf(n) },
        plans: { chaos: PLAN },
        networks: [{ name: "node", family: "evm", chainId: 1, upstreams }],
      });
      machines.push({ workplace, proxy, gateway: undefined });
    }
    await Promise.all(machines.map((machine) => start(machine)));
    await world.open();
    await world.run(server);
    return await world.outcome();
  } finally {
    world.end();
    await Promise.all(machines.map(({ workplace }) => workplace.clear()));
    await Promise.all(machines.map(({ proxy }) => proxy.stop()));
    await server.stop();
    await node.stop();
  }
}

/** Every second machine keeps one, so that what it had leased at a kill goes back. */
const journalOf = (n: number) => (n % 2 === 0 ? { journal: "./leases" } : {});

async function start(machine: Machine): Promise<void> {
  machine.gateway = await machine.workplace.start();
}

class World {
  readonly #options: ChaosOptions;
  readonly #machines: readonly Machine[];
  readonly #random: Random;
  readonly #customers: Spender[] = [];
  readonly #servedAgainMs: number[] = [];
  readonly #odd = new Set<number>();
  #isOver = false;
  #clients: Promise<void>[] = [];
  #calls = 0;

  constructor(options: ChaosOptions, machines: readonly Machine[]) {
    this.#options = options;
    this.#machines = machines;
    this.#random = seeded(options.seed);
  }

  /** Accounts, keys and the clients that use them. */
  async open(): Promise<void> {
    const [machine] = this.#machines;
    for (let n = 0; n < ACCOUNTS && machine !== undefined; n += 1) {
      const account = { email: `customer-${n}@example.com`, plan: "chaos" };
      const customer = await makeCustomer(machine.workplace, account);
      this.#customers.push({ ...customer, served: 0, doubtful: 0 });
    }
    this.#clients = Array.from({ length: this.#options.clients }, (_, n) => this.#client(n));
  }

  /** All kills, in a random order, with faults of the network between them. */
  async run(server: { kill: () => Promise<void>; restart: () => Promise<void> }): Promise<void> {
    const { gatewayKills, databaseKills } = this.#options;
    const kills = [
      ...new Array<"gateway">(gatewayKills).fill("gateway"),
      ...new Array<"database">(databaseKills).fill("database"),
    ].sort(() => this.#random() - 0.5);
    for (const kill of kills) {
      await this.#disturb();
      if (kill === "gateway") await this.#killGateway();
      else {
        await server.kill();
        await setTimeout(AWAY_MS * this.#random());
        await server.restart();
        await this.#untilAllServe();
      }
    }
  }

  async outcome(): Promise<Chaos> {
    // To the end of what is left: then the least that is wrong shows.
    await setTimeout(SETTLED_MS);
    this.#isOver = true;
    await Promise.all(this.#clients);
    await setTimeout(SETTLED_MS);
    const { gatewayKills: kills } = this.#options;
    const accounts = await Promise.all(
      this.#customers.map(async ({ served, doubtful }, n): Promise<Books> => {
        const email = `customer-${n}@example.com`;
        const usage = await this.#machines[0]?.workplace.json("usage", "--account", email);
        const { limit, used } = usage as { limit: number; used: number };
        return { limit, used, served, doubtful };
      }),
    );
    const written = await Promise.all(
      this.#machines.map(({ workplace }) => workplace.everythingWritten()),
    );
    const falseAlarms = written.filter((text) => text.includes(LOSS)).length;
    return { accounts, servedAgainMs: this.#servedAgainMs, odd: this.#odd, kills, falseAlarms };
  }

  end(): void {
    this.#isOver = true;
  }

  async #client(n: number): Promise<void> {
    const customer = this.#customers[n % this.#customers.length];
    while (!this.#isOver && customer !== undefined) {
      const machine = this.#pick();
      if (machine.gateway === undefined) await setTimeout(20);
      else if ((await this.#call(machine.gateway, customer)) !== 200) await setTimeout(20);
      else await setTimeout(2);
    }
  }

  /** The status; undefined where the connection broke. */
  async #call(gateway: Started, customer: Spender): Promise<number | undefined> {
    this.#calls += 1;
    const params = [`0x${"0".repeat(40)}`, `0x${this.#calls.toString(16)}`];
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "eth_getTransactionCount",
      params,
    });
    try {
      const { status } = await ask(gateway.port, { target: `/node/v3/${customer.key}`, body });
      if (status === 200) customer.served += PRICE;
      if (!EXPECTED.includes(status)) this.#odd.add(status);
      return status;
    } catch {
      customer.doubtful += PRICE;
      return undefined;
    }
  }

  async #killGateway(): Promise<void> {
    const machine = this.#pick();
    const { gateway } = machine;
    if (gateway === undefined) return;
    machine.gateway = undefined;
    gateway.process.kill("SIGKILL");
    await gateway.process.ended;
    await start(machine);
  }

  async #disturb(): Promise<void> {
    const { proxy } = this.#pick();
    const kind = Math.floor(this.#random() * 4);
    if (kind === 0) proxy.cut();
    // An answer that none had to be lost until the end is not lost when the books are read.
    const loses = (text: string) =>
      void proxy.loseAnswer((bytes) => !this.#isOver && bytes.includes(text));
    if (kind === 1) loses("SELECT 1");
    if (kind === 2) loses("COMMIT");
    if (kind === 3) {
      proxy.set("hole");
      await setTimeout(BETWEEN_MS * this.#random());
      proxy.set("open");
    }
    await setTimeout(BETWEEN_MS * this.#random());
  }

  /** Each gateway serves somebody: an account that has used up its day cannot tell. */
  async #untilAllServe(): Promise<void> {
    const sinceMs = performance.now();
    await Promise.all(
      this.#machines.map(async ({ gateway }) => {
        while (gateway !== undefined && performance.now() - sinceMs < GIVEN_UP_MS) {
          for (const customer of this.#customers) {
            const status = await this.#call(gateway, customer);
            // 402 and 429 are answers of the ledger, too.
            if (status !== undefined && status < 500) return;
          }
          await setTimeout(20);
        }
      }),
    );
    this.#servedAgainMs.push(performance.now() - sinceMs);
  }

  #pick(): Machine {
    const index = Math.floor(this.#random() * this.#machines.length);
    const machine = this.#machines[index];
    if (machine === undefined) throw new Error("no machine");
    return machine;
  }
}

import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { startCountingNode } from "../credits/calls.ts";
import { ask } from "../http/ask.ts";
import { newSchema, sharedPostgres } from "../support/postgres.ts";
import {
  makeCustomer,
  openWorkplace,
  type Started,
  type Workplace,
} from "../support/started-gateway.ts";
import { type Passage, startTcpProxy } from "../support/tcp-proxy.ts";

const PRICE = 80;
/** A second in eighths is 15 calls. */
const PLAN = { dailyCredits: 10_000_000, creditsPerSecond: 10_000 };
const CALLS_A_SECOND = 20;
const AGAIN_WITHIN_MS = 10_000;

type Customer = { readonly email: string; readonly key: string };

export type Absence = {
  /** Of the client that called before, each with how often it came. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Of one that had not called for a while. */
  readonly stranger: { readonly status: number; readonly retryAfter: string | undefined };
  /** From when the database could be reached again until the stranger was served. */
  readonly servedAgainMs: number;
  /** Of both, credits. */
  readonly served: number;
  readonly used: number;
};

/** A gateway whose database is away for so long while a client calls on; before, it calls twice as much as it needs. */
export async function absence(passage: Passage, awayMs: number): Promise<Absence> {
  const node = await startCountingNode();
  const database = new URL(await sharedPostgres());
  const proxy = await startTcpProxy(Number(database.port));
  database.port = String(proxy.port);
  // A connection that was begun while nothing was passed on is waited for so long.
  database.searchParams.set("connect_timeout", "1");
  const workplace = await openWorkplace({
    server: { port: 0 },
    admin: { port: 0 },
    storage: { url: database.href, schema: newSchema(), statementTimeoutMs: 1000 },
    plans: { away: PLAN },
    networks: [
      {
        ...{ name: "node", family: "evm", chainId: 1 },
        upstreams: [{ name: "node", url: node.url }],
      },
    ],
  });
  try {
    const gateway = await workplace.start();
    const [busy, stranger] = [await customer(workplace, "busy"), await customer(workplace, "rest")];
    const calls = new Calls(gateway);
    await calls.make(stranger);
    await calls.during(busy, { seconds: awayMs / 4000, callsASecond: 8 * CALLS_A_SECOND });
    proxy.set(passage);
    // What was begun before is over.
    await setTimeout(100);
    const others = calls.make(stranger);
    const statuses = await calls.during(busy, {
      seconds: awayMs / 1000,
      callsASecond: CALLS_A_SECOND,
    });
    proxy.set("open");
    const servedAgainMs = await calls.untilServed(stranger);
    const used = await calls.untilAllIsBack(async () => {
      const all = await Promise.all([busy, stranger].map((one) => usedOf(workplace, one)));
      return all.reduce((sum, each) => sum + each, 0);
    });
    const { status, headers } = await others;
    const retryAfter = headers["retry-after"];
    return {
      ...{ statuses, servedAgainMs, used, served: calls.served },
      stranger: { status, retryAfter },
    };
  } finally {
    await workplace.clear();
    await proxy.stop();
    await node.stop();
  }
}

/** Who had a lease was served all the time, who had none was told when to come again, and nothing is lost. */
export function expectServed({ statuses, stranger, servedAgainMs, served, used }: Absence): void {
  expect([...statuses.keys()]).toEqual([200]);
  expect(stranger.status).toBe(503);
  expect(Number(stranger.retryAfter)).toBeGreaterThan(0);
  expect(servedAgainMs).toBeLessThan(2000);
  expect(used).toBe(served);
}

async function customer(workplace: Workplace, name: string): Promise<Customer> {
  const email = `${name}@example.com`;
  return { email, key: (await makeCustomer(workplace, { email, plan: "away" })).key };
}

async function usedOf({ json }: Workplace, { email }: Customer): Promise<number> {
  return ((await json("usage", "--account", email)) as { readonly used: number }).used;
}

class Calls {
  served = 0;
  readonly #port: number;
  #made = 0;

  constructor({ port }: Started) {
    this.#port = port;
  }

  async make({ key }: Customer): ReturnType<typeof ask> {
    this.#made += 1;
    const params = [`0x${"0".repeat(40)}`, `0x${this.#made.toString(16)}`];
    const call = { jsonrpc: "2.0", id: 1, method: "eth_getTransactionCount", params };
    const answer = await ask(this.#port, {
      target: `/node/v3/${key}`,
      body: JSON.stringify(call),
    });
    if (answer.status === 200) this.served += PRICE;
    return answer;
  }

  async during(
    of: Customer,
    { seconds, callsASecond }: { readonly seconds: number; readonly callsASecond: number },
  ): Promise<ReadonlyMap<number, number>> {
    const statuses = new Map<number, number>();
    const begun = performance.now();
    const all: Promise<void>[] = [];
    for (let made = 0; made < seconds * callsASecond; made += 1) {
      await setTimeout(Math.max(0, begun + (made * 1000) / callsASecond - performance.now()));
      all.push(
        this.make(of).then(({ status }) => {
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }),
      );
    }
    await Promise.all(all);
    return statuses;
  }

  async untilServed(of: Customer): Promise<number> {
    const begun = performance.now();
    while ((await this.make(of)).status !== 200) await setTimeout(20);
    return performance.now() - begun;
  }

  /** What is used, as soon as it is what was served. */
  async untilAllIsBack(usedNow: () => Promise<number>): Promise<number> {
    const begun = performance.now();
    for (;;) {
      const used = await usedNow();
      if (used === this.served || performance.now() - begun > AGAIN_WITHIN_MS) return used;
      await setTimeout(200);
    }
  }
}

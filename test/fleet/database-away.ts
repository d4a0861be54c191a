import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { startCountingNode } from "../credits/calls.ts";
import { newSchema, sharedPostgres } from "../support/postgres.ts";
import { openWorkplace } from "../support/started-gateway.ts";
import { type Passage, startTcpProxy } from "../support/tcp-proxy.ts";
import { Calls, customer, usedOf } from "./steady-calls.ts";

/** A second in eighths is 15 calls. */
const PLAN = { dailyCredits: 10_000_000, creditsPerSecond: 10_000 };
const CALLS_A_SECOND = 20;

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

/** Gateways whose database is away for so long while a client calls on; before, it calls twice as much as it needs. */
export async function absence(
  passage: Passage,
  { awayMs, gateways: count }: { readonly awayMs: number; readonly gateways: number },
): Promise<Absence> {
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
    const gateways = await Promise.all(Array.from({ length: count }, () => workplace.start()));
    const [busy, stranger] = [
      await customer(workplace, { name: "busy", plan: "away" }),
      await customer(workplace, { name: "rest", plan: "away" }),
    ];
    const calls = new Calls(...gateways);
    await calls.make(stranger);
    await calls.during(busy, { seconds: awayMs / 2000, callsASecond: 8 * CALLS_A_SECOND });
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

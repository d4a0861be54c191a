import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startCountingNode } from "../credits/calls.ts";
import { newSchema } from "../support/postgres.ts";
import { type PostgresServer, startPostgresServer } from "../support/postgres-server.ts";
import { openWorkplace, type Started, type Workplace } from "../support/started-gateway.ts";
import { recordKey } from "../support/written.ts";
import { Calls, type Customer, customer } from "./steady-calls.ts";

const LOG = "the storage misses what it had committed";
const LOST =
  /^storage: commits were lost, as found at 20..-..-..T.*Z; look after accounts and keys/;

let server: PostgresServer;
let node: Awaited<ReturnType<typeof startCountingNode>>;
beforeAll(async () => {
  [server, node] = await Promise.all([startPostgresServer({ fsync: "off" }), startCountingNode()]);
});
afterAll(async () => {
  await server?.stop();
  await node?.stop();
});

type Place = {
  readonly workplace: Workplace;
  readonly gateway: Started;
  readonly of: Customer;
  readonly calls: Calls;
};

async function within(run: (place: Place) => Promise<void>): Promise<void> {
  recordKey(server.password);
  const workplace = await openWorkplace({
    server: { port: 0 },
    admin: { port: 0 },
    storage: { url: server.url, schema: newSchema() },
    plans: { steady: { dailyCredits: 10_000_000, creditsPerSecond: 10_000 } },
    networks: [
      {
        ...{ name: "node", family: "evm", chainId: 1 },
        upstreams: [{ name: "node", url: node.url }],
      },
    ],
  });
  try {
    const of = await customer(workplace, { name: "ada", plan: "steady" });
    const gateway = await workplace.start();
    const calls = new Calls(gateway);
    await calls.untilServed(of);
    await run({ workplace, gateway, of, calls });
  } finally {
    await workplace.clear();
  }
}

async function obstacles({ admin }: Started): Promise<readonly string[]> {
  const page = await fetch(`${admin}/readyz`);
  return ((await page.json()) as { readonly obstacles: readonly string[] }).obstacles;
}
const until = (look: () => Promise<void>) => vi.waitFor(look, { timeout: 10_000, interval: 50 });
const times = ({ process }: Started) => process.output().split(LOG).length - 1;

test("a failover to a database that lost credits is told by all gateways until accounts are repaired", () =>
  within(async ({ workplace, gateway, of, calls }) => {
    const failOver = await server.keepCopy();
    await calls.untilServed(of);
    await calls.during(of, { seconds: 1.5, callsASecond: 50 });
    await failOver();
    await until(async () => {
      await calls.make(of);
      expect((await obstacles(gateway)).filter((each) => LOST.test(each))).toHaveLength(1);
    });
    expect(times(gateway)).toBe(1);
    const other = await workplace.start();
    expect(await obstacles(other)).toEqual([expect.stringMatching(LOST)]);
    const { stdout } = await workplace.run("accounts", "repair", of.email);
    expect(stdout).toContain("gateways are ready again: commits were lost");
    for (const each of [gateway, other])
      await until(async () => expect(await obstacles(each)).toEqual([]));
  }));

test("a failover to a database that lost a change of a key is told although nobody calls", () =>
  within(async ({ workplace, gateway, of }) => {
    const failOver = await server.keepCopy();
    await workplace.json("keys", "create", "--account", of.email, "--name", "late");
    // The gateway has seen it: it asks four times a second.
    await setTimeout(1000);
    await failOver();
    await until(async () =>
      expect(await obstacles(gateway)).toEqual([expect.stringMatching(LOST)]),
    );
    expect(times(gateway)).toBe(1);
  }));

test("a database that is killed and lost nothing is an absence, and no more", () =>
  within(async ({ workplace, gateway, of, calls }) => {
    await calls.during(of, { seconds: 1.5, callsASecond: 50 });
    await workplace.json("keys", "create", "--account", of.email, "--name", "late");
    await setTimeout(500);
    await server.restart();
    await calls.untilServed(of);
    await calls.during(of, { seconds: 1.5, callsASecond: 50 });
    await until(async () => expect(await obstacles(gateway)).toEqual([]));
    expect(times(gateway)).toBe(0);
  }));

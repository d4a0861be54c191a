import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openStorage } from "../../src/storage/open.ts";
import { addKey } from "../http/add-key.ts";
import { ask } from "../http/ask.ts";
import { startTestGateway, strangeKey, type TestGateway } from "../support/gateway.ts";
import { type BreakableStorage, breakable } from "./breakable-storage.ts";
import { PRICE, startCallers } from "./callers.ts";

/** As the SQLite adapter says it, whose own test fills a file up. */
const FULL = "the database /data/tollgate.db cannot grow: the disk is full";

let stores: BreakableStorage;
let gateway: TestGateway;
let accountId: string;
beforeAll(async () => {
  stores = breakable(await openStorage({ url: "memory:" }));
  const upstreams = [{ name: "node", url: "http://127.0.0.1:9" }];
  gateway = await startTestGateway({
    networks: [{ name: "net", family: "evm", chainId: 1, upstreams }],
    plans: { test: { dailyCredits: 30_000, creditsPerSecond: 1_000_000 } },
    storage: stores.storage,
  });
  accountId = (await gateway.storage.accounts.list())[0]?.id ?? "";
});
afterAll(() => gateway.stop());

const ready = async () => {
  const response = await gateway.admin("/readyz");
  return [response.status, await response.json()];
};
const until = <Value>(look: () => Value | Promise<Value>): Promise<Value> =>
  vi.waitFor(look, { timeout: 5000, interval: 10 });

test("a full disk: leases are spent, then 503; once there is room it serves, and counts all", async () => {
  const { port, key } = gateway;
  const { key: unseen } = await addKey(gateway);
  await ask(port, { target: `/net/v3/${key}` });
  for (const store of ["ledger", "usage"] as const) stores.broken.set(store, FULL);
  const callers = startCallers(gateway);
  const refused = await until(() => {
    const found = callers.answers.find(({ status }) => status !== 200);
    if (found === undefined) throw new Error("none is refused yet");
    return found;
  });
  const fromLeases = callers.served();
  expect(fromLeases).toBeGreaterThan(0);
  expect(refused.status).toBe(503);
  expect(JSON.parse(refused.text).error.message).toBe("credits cannot be counted at the moment");
  expect(refused.text).not.toContain("disk");
  // Keys are still told apart.
  expect((await ask(port, { target: `/net/v3/${unseen}` })).status).toBe(503);
  expect((await ask(port, { target: `/net/v3/${strangeKey()}` })).status).toBe(401);
  expect((await gateway.admin("/healthz")).status).toBe(200);
  // Reads go on, so only the writes that failed show it.
  const obstacles = ["storage: credits cannot be counted", "storage: usage cannot be written"];
  await until(async () => expect(await ready()).toEqual([503, { ready: false, obstacles }]));

  // The log names the reason, once for each store, however many calls are refused.
  await until(() => expect(gateway.log()).toContain("usage cannot be written"));
  const lines = gateway
    .log()
    .split("\n")
    .filter((line) => line.includes(FULL));
  expect(lines).toHaveLength(2);
  expect(lines.join("\n")).toContain("the store of the ledger does not answer");

  stores.broken.clear();
  await until(() => expect(callers.served()).toBeGreaterThan(fromLeases + 10));
  await until(async () => expect(await ready()).toEqual([200, { ready: true, obstacles: [] }]));
  await callers.end();
  const calls = callers.served() + 1;
  const day = Math.floor(Date.now() / 86_400_000);
  await until(async () => {
    const { used } = await gateway.storage.ledger.read(accountId, day);
    expect(used).toBe(calls * PRICE);
  });
  await until(async () => {
    const from = day * 86_400_000;
    const range = { accountId, resolution: "day", from, to: from + 86_400_000 } as const;
    const rows = await gateway.storage.usage.query(range);
    const served = rows.filter(({ outcome }) => outcome === "ok");
    expect(served.reduce((sum, row) => sum + row.calls, 0)).toBe(calls);
  });
});

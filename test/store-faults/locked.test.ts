import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, expect, test, vi } from "vitest";
import { openStorage } from "../../src/storage/open.ts";
import { addKey } from "../http/add-key.ts";
import { ask } from "../http/ask.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { temporaryFolder } from "../support/written.ts";
import { connect } from "../websocket/client.ts";
import { PRICE, startCallers, watchLoop } from "./callers.ts";

/** Longer than a write waits for a lock: the store itself gives up meanwhile. */
const LOCKED_MS = 5500;
/** Leases are 1 % of it: 60 calls. */
const DAILY = 30_000;
/** No lease is more than the dearest call, where 1 % of the day is less. */
const LEASE_BOUND = 1000;
const UNAVAILABLE = {
  code: -32603,
  message: "credits cannot be counted at the moment",
  details: "the call was not charged; try again",
};

const folder = temporaryFolder("locked");
const path = join(folder, "tollgate.db");
let gateway: TestGateway;
beforeAll(async () => {
  const upstreams = [{ name: "node", url: "http://127.0.0.1:9" }];
  gateway = await startTestGateway({
    networks: [{ name: "net", family: "evm", chainId: 1, upstreams }],
    plans: { test: { dailyCredits: DAILY, creditsPerSecond: 1_000_000 } },
    storage: await openStorage({ url: `sqlite:${path}` }),
  });
});

/** Resolves when another process has the file for itself; what it gives ends that. */
async function lock(): Promise<() => Promise<void>> {
  const child = fork(new URL("./lock-child.ts", import.meta.url), [path], { execArgv: [] });
  await once(child, "message");
  return async () => {
    const ended = once(child, "exit");
    child.send("release");
    await ended;
  };
}

test("a file locked for 5 s under load: leases are spent, then 503, then it serves by itself", async () => {
  const { port, key } = gateway;
  const { key: unseen } = await addKey(gateway);
  const socket = await connect(gateway.ws());
  socket.send('{"jsonrpc":"2.0","id":"a","method":"eth_chainId"}');
  await socket.received(1);
  const loop = watchLoop();

  const release = await lock();
  const callers = startCallers(gateway);
  const locked = pause(LOCKED_MS);
  const refused = await vi.waitFor(
    () => {
      const found = callers.answers.find(({ status }) => status !== 200);
      if (found === undefined) throw new Error("none is refused yet");
      return found;
    },
    // Before the store gives up by itself: clients do not wait as long.
    { timeout: 4000, interval: 10 },
  );
  expect(callers.served()).toBeGreaterThan(0);
  expect(callers.served() * PRICE).toBeLessThanOrEqual(LEASE_BOUND);
  expect(JSON.parse(refused.text)).toEqual({ jsonrpc: "2.0", id: 1, error: UNAVAILABLE });
  expect(refused.headers["retry-after"]).toBe("1");
  expect(refused.headers["x-credits-charged"]).toBe("0");

  // What only reads goes on: a key that was not seen before, and what the account has left.
  const usage = '{"jsonrpc":"2.0","id":1,"method":"tollgate_usage"}';
  expect((await ask(port, { target: `/net/v3/${unseen}`, body: usage })).status).toBe(200);
  expect((await gateway.admin("/readyz")).status).toBe(200);
  socket.send('{"jsonrpc":"2.0","id":"b","method":"eth_chainId"}');
  const [, overWebSocket = ""] = await socket.received(2);
  expect(JSON.parse(overWebSocket)).toEqual({ jsonrpc: "2.0", id: "b", error: UNAVAILABLE });
  await locked;
  // On a busy machine the store was asked later.
  await vi.waitFor(() => expect(gateway.log()).toContain("the store of the ledger"), {
    timeout: 5000,
    interval: 10,
  });
  const servedWhileLocked = callers.served();
  expect(new Set(callers.answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
  await release();

  await vi.waitFor(() => expect(callers.served()).toBeGreaterThan(servedWhileLocked), {
    timeout: 5000,
    interval: 10,
  });
  const { ticks, longestMs } = loop.end();
  expect(ticks).toBeGreaterThan(LOCKED_MS / 10 / 3);
  expect(longestMs).toBeLessThan(1000);
  socket.send('{"jsonrpc":"2.0","id":"c","method":"eth_chainId"}');
  expect((await socket.received(3))[2]).toContain('"result":"0x1"');
  await callers.end();

  const reports = gateway.log().match(/the store of the ledger does not answer/g);
  expect(reports).toHaveLength(1);
  expect(gateway.log()).toContain("is locked by another process");

  // To the last credit, and not one more.
  const rest = DAILY / PRICE - callers.served() - 2;
  const batch = `[${Array.from({ length: 500 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`).join(",")}]`;
  let served = 0;
  for (let answer = ""; !answer.includes('"code":402'); ) {
    answer = (await ask(port, { target: `/net/v3/${key}`, body: batch })).text;
    served += answer.split('"result"').length - 1;
  }
  expect(served).toBe(rest);
  socket.socket.close();
  await socket.closed;
  await gateway.stop();
  expect(await used()).toBe(DAILY);
});

/** As another process reads it. */
async function used(): Promise<number> {
  const storage = await openStorage({ url: `sqlite:${path}` });
  const [account] = await storage.accounts.list();
  const day = Math.floor(Date.now() / 86_400_000);
  const balance = await storage.ledger.read(account?.id ?? "", day);
  await storage.close();
  return balance.used;
}

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Answer, ask } from "../http/ask.ts";
import { connect } from "../websocket/client.ts";
import { type Granted, RESET_SECONDS, type Rig, startRig } from "./rig.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.stop());

const A = `"0x${"a".repeat(40)}"`;
/** Calls by their price; 403: one that the key may not make. */
const CALLS: Readonly<Record<number, string>> = {
  5: '"method":"eth_chainId"',
  80: `"method":"eth_getBalance","params":[${A},"latest"]`,
  300: '"method":"eth_blobBaseFee"',
  1000: '"method":"eth_getBlockReceipts","params":["latest"]',
  403: '"method":"net_version"',
};
const call = (price: number, id = 1): string => `{"jsonrpc":"2.0","id":${id},${CALLS[price]}}`;
const batch = (prices: readonly number[]): string =>
  `[${prices.map((price, index) => call(price, index)).join(",")}]`;
const post = ({ key }: Granted, body: string): Promise<Answer> =>
  ask(rig.gateway.port, { target: `/net/v3/${key}`, body });
const wsUrl = ({ key }: Granted): string => `ws://127.0.0.1:${rig.gateway.port}/net/ws/v3/${key}`;

/** Of each element of a batch: 200, or the code of its error. */
function codes(text: string): number[] {
  const answers = JSON.parse(text) as { id: number; error?: { code: number } }[];
  expect(answers.map(({ id }) => id)).toEqual([...answers.keys()]);
  return answers.map(({ error }) => error?.code ?? 200);
}

/** What is open has gone back to the store. */
async function settled(granted: Granted, credits: number): Promise<void> {
  rig.clock.advance(1000);
  await vi.waitFor(async () => expect(await rig.used(granted.accountId)).toBe(credits), {
    timeout: 5000,
    interval: 20,
  });
}

describe("a batch is admitted call by call, in its order: what fits is served", () => {
  test.each([
    ["the day's 90 credits", { plan: "brief" }, 402],
    ["the second's 90 credits", { plan: "slow" }, 429],
    ["the key's day", { keyLimits: { creditsPerDay: 90 } }, 429],
    ["the key's second", { keyLimits: { creditsPerSecond: 90 } }, 429],
  ] as const)("%s", async (_name, wanted, code) => {
    const granted = await rig.grant(wanted);
    const { status, text, headers } = await post(granted, batch([80, 80, 5, 300, 5, 5]));
    expect({ status, codes: codes(text) }).toEqual({
      status: 200,
      codes: [200, code, 200, code, 200, code],
    });
    expect(headers["x-credits-charged"]).toBe("90");
    await settled(granted, 90);
  });

  test("different refusals of all calls are 200, each in its place", async () => {
    const granted = await rig.grant({
      plan: "brief",
      allow: { method: ["eth_*"] },
    });
    expect((await post(granted, call(80))).status).toBe(200);
    const { status, text, headers } = await post(granted, batch([300, 403, 80]));
    expect({ status, codes: codes(text) }).toEqual({ status: 200, codes: [402, 403, 402] });
    expect(headers["x-credits-charged"]).toBe("0");
  });

  test("refusals of one status and different events are that status", async () => {
    const granted = await rig.grant({ plan: "slow", keyLimits: { creditsPerDay: 84 } });
    expect((await post(granted, call(80))).status).toBe(200);
    // The first is too dear for the second, which has 10 left, the other for the key's day.
    const { status, text } = await post(granted, batch([80, 5]));
    expect(status).toBe(429);
    expect(JSON.parse(text)).toMatchObject({ id: null, error: { code: 429, event: -33200 } });
  });

  test("notifications are neither run, nor charged, nor answered", async () => {
    const granted = await rig.grant({ plan: "brief" });
    const silent = `{"jsonrpc":"2.0",${CALLS[80]}}`;
    const { status, text } = await post(granted, `[${silent},${call(80, 0)},${silent}]`);
    expect({ status, codes: codes(text) }).toEqual({ status: 200, codes: [200] });
    expect((await post(granted, silent)).status).toBe(204);
    await settled(granted, 80);
  });

  test("what is wrong in itself is free, and not refused for want of credits", async () => {
    const granted = await rig.grant({ plan: "brief" });
    await post(granted, call(80));
    await post(granted, batch([5, 5]));
    const unknown = await post(granted, '{"jsonrpc":"2.0","id":1,"method":"nobody_knows"}');
    const bad = await post(granted, '{"jsonrpc":"2.0","id":1,"method":"eth_getBalance"}');
    expect([unknown, bad].map(({ status }) => status)).toEqual([200, 200]);
    expect([unknown, bad].map(({ text }) => JSON.parse(text).error.code)).toEqual([-32601, -32602]);
  });
});

describe("credits per second", () => {
  test("a call dearer than the bucket holds is admitted when the bucket is full", async () => {
    const granted = await rig.grant({ keyLimits: { creditsPerSecond: 500 } });
    expect((await post(granted, call(1000))).status).toBe(200);
    const refused = await post(granted, call(1000));
    expect(refused.status).toBe(429);
    // From 500 below zero to 500.
    expect(refused.headers["retry-after"]).toBe("2");
    rig.clock.advance(1999);
    expect((await post(granted, call(1000))).status).toBe(429);
    rig.clock.advance(1);
    expect((await post(granted, call(1000))).status).toBe(200);
    rig.clock.advance(2000);
    expect((await post(granted, call(5))).status).toBe(200);
    expect((await post(granted, call(1000))).headers["retry-after"]).toBe("1");
    await settled(granted, 2005);
  });

  test("come back millisecond by millisecond, and Retry-After is kept to", async () => {
    const granted = await rig.grant({ plan: "slow" });
    await post(granted, call(80));
    const { status, headers } = await post(granted, call(80));
    expect(status).toBe(429);
    rig.clock.advance(Number(headers["retry-after"]) * 1000);
    expect((await post(granted, call(80))).status).toBe(200);
  });

  test("are of the account, whichever of its keys is used", async () => {
    const granted = await rig.grant({ plan: "slow" });
    const other = await rig.anotherKey(granted);
    expect((await post(granted, call(80))).status).toBe(200);
    expect((await post(other, call(80))).status).toBe(429);
  });
});

describe("an open WebSocket", () => {
  test.each([
    [
      "whose key is revoked is closed with 4401",
      4401,
      (granted: Granted) => rig.gateway.storage.keys.revoke(granted.keyId, rig.clock.now()),
    ],
    [
      "whose account is suspended is closed with 4403",
      4403,
      (granted: Granted) =>
        rig.gateway.storage.accounts.update(granted.accountId, { suspended: true }),
    ],
    [
      "from an address that is no longer listed is closed with 4403",
      4403,
      (granted: Granted) =>
        rig.gateway.storage.keys.update(granted.keyId, { allow: { ip: ["10.0.0.0/8"] } }),
    ],
    [
      "whose account is deleted is closed with 4401",
      4401,
      (granted: Granted) => rig.gateway.storage.accounts.delete(granted.accountId),
    ],
  ] as const)("%s", async (_name, code, change) => {
    const granted = await rig.grant();
    const client = await connect(wsUrl(granted));
    client.send(call(5));
    await client.received(1);
    await change(granted);
    expect((await client.closed).code).toBe(code);
  });

  test("whose key expires is closed with 4401", async () => {
    const client = await connect(wsUrl(await rig.grant({ expiresAt: rig.clock.now() + 500 })));
    rig.clock.advance(500);
    expect((await client.closed).code).toBe(4401);
  });

  test("answers what was in the air before the 402 that closes it", async () => {
    const granted = await rig.grant({ plan: "brief" });
    let answer = (): void => undefined;
    const { reply } = rig.node;
    rig.node.reply = async (request) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return reply(request);
    };
    const client = await connect(wsUrl(granted));
    client.send(call(80, 1));
    client.send(call(300, 2));
    expect((await client.received(1))[0]).toContain('"id":2,"error":{"code":402');
    client.send(call(5, 3));
    await vi.waitFor(() => expect(rig.node.requests.length).toBeGreaterThan(0));
    answer();
    rig.node.reply = reply;
    expect((await client.closed).code).toBe(4402);
    expect(client.messages.map((message) => JSON.parse(message).id)).toEqual([2, 1]);
    await settled(granted, 80);
  });

  test("goes on when credits are added to the day, once it is opened again", async () => {
    const granted = await rig.grant({ plan: "brief" });
    await post(granted, call(80));
    const client = await connect(wsUrl(granted));
    client.send(call(80));
    expect((await client.closed).code).toBe(4402);
    const day = Math.floor(rig.clock.now() / 86_400_000);
    await rig.gateway.storage.ledger.add(granted.accountId, day, 80);
    rig.clock.advance(250);
    const again = await connect(wsUrl(granted));
    again.send(call(80));
    expect((await again.received(1))[0]).toContain('"result"');
    again.socket.close();
    await again.closed;
  });
});

describe("tollgate_usage", () => {
  const body = '{"jsonrpc":"2.0","id":"u","method":"tollgate_usage"}';

  test("gives the key's account over HTTP and WebSocket, free, what was added included", async () => {
    const granted = await rig.grant();
    await post(granted, batch([80, 5]));
    await settled(granted, 85);
    const day = Math.floor(rig.clock.now() / 86_400_000);
    await rig.gateway.storage.ledger.add(granted.accountId, day, 1000);
    const { status, text, headers } = await post(granted, body);
    const result = {
      account: granted.email,
      day: "2026-11-21",
      limit: 1_001_000,
      used: 85,
      left: 1_000_915,
      resetSeconds: expect.any(Number),
    };
    expect({ status, answer: JSON.parse(text) }).toEqual({
      status: 200,
      answer: { jsonrpc: "2.0", id: "u", result },
    });
    expect(headers["x-credits-charged"]).toBe("0");
    expect(headers["ratelimit-policy"]).toContain('"day";q=1000000;w=86400');
    const client = await connect(wsUrl(granted));
    client.send(body);
    expect(await client.received(1)).toEqual([text]);
    client.socket.close();
    await client.closed;
    expect(await rig.used(granted.accountId)).toBe(85);
  });

  test("is answered when the day is over, and takes no parameters", async () => {
    const granted = await rig.grant({ plan: "brief" });
    await post(granted, batch([80, 5, 5]));
    const { status, text } = await post(granted, body);
    const { limit, used, left, resetSeconds } = JSON.parse(text).result;
    expect({ status, limit, used, left }).toEqual({ status: 200, limit: 90, used: 90, left: 0 });
    expect(resetSeconds).toBeGreaterThan(RESET_SECONDS - 60);
    const given = await post(granted, body.replace("}", ',"params":["user-1@example.com"]}'));
    expect(JSON.parse(given.text).error.code).toBe(-32602);
  });

  test("is 503 while the store of the ledger is down, with the id echoed", async () => {
    const granted = await rig.grant();
    await post(granted, call(5));
    rig.stores.broken.set("ledger", "the database is gone");
    const { status, text, headers } = await post(granted, body);
    rig.stores.broken.delete("ledger");
    expect(status).toBe(503);
    expect(JSON.parse(text)).toMatchObject({ id: "u", error: { code: -32603 } });
    expect(headers["retry-after"]).toBe("1");
    expect(text).not.toContain("database");
  });

  test("is a method like others for a key's allow-list", async () => {
    const granted = await rig.grant({ allow: { method: ["eth_*"] } });
    expect((await post(granted, body)).status).toBe(403);
  });
});

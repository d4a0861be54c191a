import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Clock } from "../../src/lib/clock.ts";
import { accountUsage } from "../../src/usage/account-usage.ts";
import { strangeKey } from "../support/gateway.ts";
import { connect, refused } from "../websocket/client.ts";
import { type Granted, grant } from "./grants.ts";
import { callText, type Given, overWebSocket, post, type SlotRig, startSlotRig } from "./rig.ts";

const HEAD = 1000;
const CREDITS = 160;
const PLANS = {
  wide: { dailyCredits: 1_000_000, creditsPerSecond: 100_000 },
  /** Its day is over after two calls. */
  brief: { dailyCredits: 2 * CREDITS, creditsPerSecond: 100_000 },
  /** And so is its second. */
  slow: { dailyCredits: 1_000_000, creditsPerSecond: 2 * CREDITS },
};
const VERSIONED = 700;
const FAILING = 701;
const SKIPPED = 702;
const VERSION_ERROR = {
  code: -32015,
  message: "Transaction version (0) is not supported by the requesting client.",
};

/** No call waits for time here, and none may pass between the calls of one second. */
const stopped: Clock = { now: () => Date.UTC(2026, 10, 21, 20), monotonic: () => 5000 };

let rig: SlotRig;
beforeAll(async () => {
  rig = await startSlotRig({ head: HEAD, plans: PLANS, clock: stopped });
  for (const node of rig.nodes) {
    node.reply = ({ method, params: [slot] }) => {
      if (slot === VERSIONED) return { error: VERSION_ERROR };
      if (slot === FAILING) return { error: { code: -32005, message: "Node is unhealthy" } };
      if (slot === SKIPPED) return { error: { code: -32007, message: `Slot ${slot} was skipped` } };
      return method === "getBlock"
        ? { result: { blockhash: `block ${slot}`, previousBlockhash: "p", transactions: [] } }
        : { result: 7 };
    };
  }
});
afterAll(() => rig?.stop());

const urlOf = ({ key }: Pick<Granted, "key">) => `${rig.gateway.origin}/slots/v3/${key}`;
const wsOf = ({ key }: Pick<Granted, "key">) =>
  `ws://127.0.0.1:${rig.gateway.port}/slots/ws/v3/${key}`;
const getBlock = (slot: number, id = 1) => callText("getBlock", `[${slot}]`, id);
const send = (granted: Pick<Granted, "key">, body: string) => post(urlOf(granted), body);
const chargedOf = ({ header }: Given) => Number(header("x-credits-charged"));
const codesOf = ({ json }: Given) =>
  (json as unknown as { error?: { code: number } }[]).map(({ error }) => error?.code ?? 200);

describe("a key", () => {
  test("that is missing, unknown or malformed is 401, over WebSocket too", async () => {
    const body = callText("getSlot", "[]");
    for (const key of ["", strangeKey(), "short"]) {
      const { status, json } = await send({ key }, body);
      expect(status).toBe(401);
      expect(json).toEqual({
        jsonrpc: "2.0",
        id: null,
        error: { code: 401, event: -33001, message: "Unauthorized", details: "invalid API key" },
      });
    }
    expect((await refused(wsOf({ key: strangeKey() }))).status).toBe(401);
  });

  test("calls what its list of methods names, and nothing else", async () => {
    const granted = await grant(rig.gateway, {
      plan: "wide",
      allow: { method: ["getBlock", "getSlot"] },
    });
    expect((await send(granted, getBlock(5))).status).toBe(200);
    const refusal = await send(granted, callText("getBlockTime", "[5]"));
    expect(refusal.status).toBe(403);
    expect(refusal.json.error).toMatchObject({ code: 403, event: -33100 });
    expect(chargedOf(refusal)).toBe(0);
    const mixed = `[${getBlock(5, 1)},${callText("getVersion", "[]", 2)},${getBlock(6, 3)}]`;
    expect(codesOf(await send(granted, mixed))).toEqual([200, 403, 200]);
    const patterns = await grant(rig.gateway, { plan: "wide", allow: { method: ["getBlock*"] } });
    expect((await send(patterns, callText("getBlockTime", "[5]"))).status).toBe(200);
    expect((await send(patterns, callText("getSlot", "[]"))).status).toBe(403);
  });

  test("of a list of networks without this one is refused", async () => {
    const granted = await grant(rig.gateway, { plan: "wide", allow: { network: ["elsewhere"] } });
    expect((await send(granted, getBlock(5))).status).toBe(403);
  });
});

describe("what a call costs", () => {
  const ADDRESS = '"11111111111111111111111111111111"';
  test.each([
    ["getBlock", "[5]"],
    ["getSlot", "[]"],
    ["getBlocks", "[1,2]"],
    ["getAccountInfo", `[${ADDRESS}]`],
    ["getVersion", "[]"],
    ["getGenesisHash", "[]"],
    ["getHealth", "[]"],
  ])("%s is 160 credits", async (method, params) => {
    const granted = await grant(rig.gateway, { plan: "wide" });
    const given = await send(granted, callText(method, params));
    expect(given.json.error).toBeUndefined();
    expect(chargedOf(given)).toBe(CREDITS);
  });

  test.each([
    ["a skipped slot", [SKIPPED], 160],
    ["a version that was not asked for", [VERSIONED], 160],
    ["no node that can answer", [FAILING], 0],
    ["params that are wrong", ['"12"'], 0],
    ["no params", [], 0],
  ])("%s: %s costs %i", async (_, params, credits) => {
    const granted = await grant(rig.gateway, { plan: "wide" });
    const given = await send(granted, callText("getBlock", `[${params}]`));
    expect(chargedOf(given)).toBe(credits);
    expect(given.status).toBe(params[0] === FAILING ? 503 : 200);
  });

  test.each([
    ["getFoo", "[]"],
    ["eth_chainId", "[]"],
    ["sendTransaction", '["AA=="]'],
    ["requestAirdrop", `[${ADDRESS},1]`],
  ])("%s is not served, and free", async (method, params) => {
    const given = await send(await grant(rig.gateway), callText(method, params));
    expect(given.json.error?.code).toBe(-32601);
    expect(/read-only/.test(given.json.error?.message ?? "")).toBe(
      /^(?:send|request)/.test(method),
    );
    expect(chargedOf(given)).toBe(0);
  });
});

describe("a limit", () => {
  test("of the day is 402 after its last call", async () => {
    const granted = await grant(rig.gateway, { plan: "brief" });
    for (const slot of [5, 6]) expect((await send(granted, getBlock(slot))).status).toBe(200);
    const { status, json } = await send(granted, getBlock(7));
    expect(status).toBe(402);
    expect(json.error).toMatchObject({ code: 402, event: -33000 });
  });

  test("of the second is 429 with Retry-After", async () => {
    const granted = await grant(rig.gateway, { plan: "slow" });
    for (const slot of [5, 6]) expect((await send(granted, getBlock(slot))).status).toBe(200);
    const given = await send(granted, getBlock(7));
    expect(given.status).toBe(429);
    expect(given.json.error).toMatchObject({ code: 429, event: -33200 });
    expect(given.header("retry-after")).toBe("1");
  });

  test("of the key itself is 429", async () => {
    const keyLimits = { creditsPerDay: CREDITS };
    const granted = await grant(rig.gateway, { plan: "wide", keyLimits });
    expect((await send(granted, getBlock(5))).status).toBe(200);
    const given = await send(granted, getBlock(6));
    expect(given.json.error).toMatchObject({ code: 429, event: -33400 });
  });

  test("ends a WebSocket whose day is over, after the answer that says so", async () => {
    const granted = await grant(rig.gateway, { plan: "brief" });
    const client = await connect(wsOf(granted));
    for (const slot of [5, 6, 7]) client.send(getBlock(slot, slot));
    await client.received(3);
    const answers = client.messages.map((text) => JSON.parse(text));
    const refusal = answers.find(({ error }) => error !== undefined);
    expect(answers.filter(({ error }) => error === undefined)).toHaveLength(2);
    expect(refusal?.error.code).toBe(402);
    expect((await client.closed).code).toBe(4402);
  });
});

describe("a batch", () => {
  test("has each call answered, paid and refused by itself, in its order", async () => {
    const granted = await grant(rig.gateway, { plan: "wide" });
    const batch = [
      getBlock(5, 1),
      getBlock(VERSIONED, 2),
      getBlock(SKIPPED, 3),
      callText("getBlock", '["5"]', 4),
      callText("getFoo", "[]", 5),
      getBlock(FAILING, 6),
      callText("getSlot", "[]", 7),
    ];
    const given = await send(granted, `[${batch}]`);
    expect(given.status).toBe(200);
    expect(codesOf(given)).toEqual([200, -32015, 200, -32602, -32601, -32603, 200]);
    const answers = given.json as unknown as { id: number; result?: unknown }[];
    expect(answers.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(answers[2]?.result).toBeNull();
    expect(answers[6]?.result).toBe(HEAD);
    expect(chargedOf(given)).toBe(4 * CREDITS);
    const ws = await overWebSocket(wsOf(granted), `[${batch}]`);
    expect(ws.json).toEqual(given.json);
  });

  test("of which a limit lets through only some has the others refused", async () => {
    const granted = await grant(rig.gateway, { plan: "brief" });
    const given = await send(granted, `[${getBlock(5, 1)},${getBlock(6, 2)},${getBlock(7, 3)}]`);
    expect(codesOf(given)).toEqual([200, 200, 402]);
    expect(chargedOf(given)).toBe(2 * CREDITS);
  });
});

describe("X-Min-Block", () => {
  const seen = (slot: number | string, body = getBlock(5)) =>
    post(rig.gateway.http(), body, { "x-min-block": String(slot) });

  test("of a slot that the head has makes no difference", async () => {
    for (const slot of [0, 5, HEAD]) expect((await seen(slot)).json.error).toBeUndefined();
  });

  test("that is no number in decimal digits is -32602, and free", async () => {
    const given = await seen("0x10");
    expect(given.json.error?.code).toBe(-32602);
    expect(chargedOf(given)).toBe(0);
  });
});

test("what an account has used is the same by tollgate_usage, and for the operator", async () => {
  const granted = await grant(rig.gateway, { plan: "wide" });
  for (const slot of [5, 6, VERSIONED, SKIPPED, FAILING]) await send(granted, getBlock(slot));
  await send(granted, callText("getSlot", "[]"));
  await send(granted, callText("getBlock", '["12"]'));
  const own = await send(granted, callText("tollgate_usage", "[]"));
  expect(chargedOf(own)).toBe(0);
  const { storage } = rig.gateway;
  const account = (await storage.accounts.list()).find(({ id }) => id === granted.accountId);
  if (account === undefined) throw new Error("no account");
  const ofOperator = () => accountUsage({ storage, plans: PLANS }, account, stopped.now());
  await vi.waitFor(
    async () => {
      const { calls } = await ofOperator();
      expect(calls.toSorted((a, b) => b.calls - a.calls)).toEqual([
        { network: "slots", method: "getBlock", calls: 6, credits: 4 * CREDITS },
        { network: "slots", method: "getSlot", calls: 1, credits: CREDITS },
        { network: "slots", method: "tollgate_usage", calls: 1, credits: 0 },
      ]);
    },
    { timeout: 10_000, interval: 50 },
  );
  const { calls: _, ...balance } = await ofOperator();
  const { result } = (await send(granted, callText("tollgate_usage", "[]"))).json;
  expect(result).toEqual(balance);
});

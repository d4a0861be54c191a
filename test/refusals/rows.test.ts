import type { IncomingHttpHeaders } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type Answer, ask } from "../http/ask.ts";
import { connect, refused } from "../websocket/client.ts";
import { type Granted, PLANS, RESET_SECONDS, type Rig, startRig } from "./rig.ts";
import { CALL_ROWS, type CallRow, CHAIN_ID, type Sent, WHOLE_ROWS, type WholeRow } from "./rows.ts";

let rig: Rig;
/** What every account was served, by its id. */
const served = new Map<string, number>();
const undo: (() => void)[] = [];

beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.stop());
afterEach(() => {
  for (const each of undo.splice(0)) each();
});

/** A float, because ids are echoed byte for byte. */
const text = ({ method, params }: Sent, id = "1.50"): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${JSON.stringify(params)}}`;
const batch = (...calls: Sent[]): string =>
  `[${calls.map((call, index) => text(call, `"${index}"`)).join(",")}]`;
const refusalText = (error: object, id = "null"): string =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`;
const post = (key: string, body: string, headers: Record<string, string> = {}): Promise<Answer> =>
  ask(rig.gateway.port, { target: `/net/v3/${key}`, body, headers });
const wsUrl = (key: string): string => `ws://127.0.0.1:${rig.gateway.port}/net/ws/v3/${key}`;
const count = ({ accountId }: Granted, credits: number): void => {
  served.set(accountId, (served.get(accountId) ?? 0) + credits);
};

type Credits = { readonly plan: keyof typeof PLANS; readonly day: number; readonly second: number };

/** The credit headers, to the letter; without credits: none of them. */
function expectCredits(headers: IncomingHttpHeaders, charged: number, left?: Credits): void {
  const names = [
    "x-credits-charged",
    "x-credits-remaining",
    "x-credits-reset",
    "ratelimit-policy",
    "ratelimit",
  ];
  const seen = Object.fromEntries(names.map((name) => [name, headers[name]]));
  if (left === undefined) {
    expect(seen).toEqual(Object.fromEntries(names.map((name) => [name, undefined])));
    return;
  }
  const { dailyCredits, creditsPerSecond } = PLANS[left.plan];
  const day = dailyCredits - left.day;
  const second = creditsPerSecond - left.second;
  expect(seen).toEqual({
    "x-credits-charged": `${charged}`,
    "x-credits-remaining": `${day}`,
    "x-credits-reset": `${RESET_SECONDS}`,
    "ratelimit-policy": `"day";q=${dailyCredits};w=86400, "second";q=${creditsPerSecond};w=1`,
    ratelimit: `"day";r=${day};t=${RESET_SECONDS}, "second";r=${second};t=1`,
  });
  const exposed = headers["access-control-expose-headers"]?.toLowerCase().split(", ");
  expect(exposed).toEqual(expect.arrayContaining([...names, "retry-after", "x-request-id"]));
}

function expectRetryAfter(headers: IncomingHttpHeaders, seconds: number | undefined): void {
  expect(headers["retry-after"]).toBe(seconds?.toString());
}

describe.each(WHOLE_ROWS)("$name", (row: WholeRow) => {
  const prepare = async (): Promise<string> => {
    const key = typeof row.key === "function" ? row.key(rig) : row.key;
    const wanted = typeof row.grant === "function" ? row.grant(rig) : row.grant;
    const granted = await rig.grant(wanted);
    count(granted, 0);
    undo.push(row.prepare?.(rig) ?? (() => undefined));
    return key ?? granted.key;
  };

  test.each([
    ["a call", () => text(CHAIN_ID)],
    ["a batch", () => batch(CHAIN_ID, CHAIN_ID)],
  ])("HTTP, %s: its status, one object with the id null, free", async (_name, body) => {
    const { status, headers, text: answer } = await post(await prepare(), body(), row.headers);
    expect({ status, answer }).toEqual({ status: row.status, answer: refusalText(row.error) });
    expect(headers["content-type"]).toBe("application/json");
    expectRetryAfter(headers, row.retryAfter);
    expectCredits(headers, 0, row.metered ? { plan: "wide", day: 0, second: 0 } : undefined);
    const cors = "cors" in row ? row.cors : "*";
    expect(headers["access-control-allow-origin"]).toBe(cors);
    expect(headers.vary).toBe(cors === "*" ? undefined : "Origin");
  });

  test("WebSocket: the upgrade is refused with the same", async () => {
    const { status, headers, answer } = await refused(wsUrl(await prepare()), row.headers);
    const object = { jsonrpc: "2.0", id: null, error: row.error };
    expect({ status, answer }).toEqual({ status: row.status, answer: object });
    expectRetryAfter(headers, row.retryAfter);
  });
});

/** What a refused call draws on the credits per second. */
const REFUSED_CREDITS = 20;

describe.each(CALL_ROWS)("$name", (row: CallRow) => {
  const { plan = "wide" } = row.grant;
  const prices: Record<string, number> = { eth_chainId: 5, eth_getBalance: 80 };
  const spent = (row.spent ?? []).reduce((sum, { method }) => sum + (prices[method] ?? 0), 0);
  const prepare = async (): Promise<Granted> => {
    const granted = await rig.grant(row.grant);
    // Whoever is refused must be known already where the store fails afterwards.
    for (const call of row.spent ?? []) {
      expect((await post(granted.key, text(call))).status).toBe(200);
    }
    count(granted, spent);
    undo.push(row.prepare?.(rig, granted) ?? (() => undefined));
    return granted;
  };
  const { loads = REFUSED_CREDITS } = row;

  test("HTTP, a call: its status, the id echoed, free", async () => {
    const { key } = await prepare();
    const { status, headers, text: answer } = await post(key, text(row.refused));
    expect({ status, answer }).toEqual({
      status: row.status,
      answer: refusalText(row.error, "1.50"),
    });
    expectRetryAfter(headers, row.retryAfter);
    expectCredits(headers, 0, { plan, day: spent, second: spent + loads });
  });

  test("HTTP, a batch of which each call is refused: its status, one object, free", async () => {
    const { key } = await prepare();
    const { status, headers, text: answer } = await post(key, batch(row.refused, row.refused));
    expect({ status, answer }).toEqual({ status: row.status, answer: refusalText(row.error) });
    expectRetryAfter(headers, row.retryAfter);
    expectCredits(headers, 0, { plan, day: spent, second: spent + 2 * loads });
  });

  test("HTTP, a batch refused in part: 200, each in its place, and what was served charged", async () => {
    const granted = await prepare();
    const body = batch(row.fits, row.refused, row.fits);
    const { status, headers, text: answer } = await post(granted.key, body);
    expect(status).toBe(200);
    expect(JSON.parse(answer)).toEqual([
      { jsonrpc: "2.0", id: "0", result: expect.any(String) },
      { jsonrpc: "2.0", id: "1", error: row.error },
      { jsonrpc: "2.0", id: "2", result: expect.any(String) },
    ]);
    expectRetryAfter(headers, undefined);
    const charged = 2 * row.price;
    count(granted, charged);
    expectCredits(headers, charged, {
      plan,
      day: spent + charged,
      second: spent + charged + loads,
    });
  });

  test.each([
    ["a call", () => text(row.refused), refusalText(row.error, "1.50")],
    ["a batch", () => batch(row.refused, row.refused), refusalText(row.error)],
  ])("WebSocket, %s: the same object", async (_name, message, answer) => {
    const { key } = await prepare();
    const client = await connect(wsUrl(key));
    client.send(message());
    expect(await client.received(1)).toEqual([answer]);
    await expectEnd(client);
  });

  test("WebSocket, a batch refused in part: each in its place", async () => {
    const granted = await prepare();
    const client = await connect(wsUrl(granted.key));
    client.send(batch(row.fits, row.refused, row.fits));
    const [answer = ""] = await client.received(1);
    expect(JSON.parse(answer)).toEqual([
      { jsonrpc: "2.0", id: "0", result: expect.any(String) },
      { jsonrpc: "2.0", id: "1", error: row.error },
      { jsonrpc: "2.0", id: "2", result: expect.any(String) },
    ]);
    count(granted, 2 * row.price);
    await expectEnd(client);
  });

  /** Closed with the row's code; or still open, and good for a call that is never refused. */
  async function expectEnd(client: Awaited<ReturnType<typeof connect>>): Promise<void> {
    if (row.closes !== undefined) {
      expect((await client.closed).code).toBe(row.closes);
      return;
    }
    client.send('{"jsonrpc":"2.0","id":7,"method":"nobody_knows"}');
    const code = row.status === 429 && row.loads === 0 ? 429 : -32601;
    expect((await client.received(2))[1]).toContain(`"id":7,"error":{"code":${code}`);
    client.socket.close();
    await client.closed;
  }
});

describe("afterwards", () => {
  test("each account was charged what it was served, to the credit", async () => {
    // What is not spent goes back a second after the last call.
    rig.clock.advance(1000);
    const expected = Object.fromEntries(served);
    await vi.waitFor(
      async () => {
        const used = await Promise.all(
          [...served.keys()].map(async (id) => [id, await rig.used(id)] as const),
        );
        expect(Object.fromEntries(used)).toEqual(expected);
      },
      { timeout: 5000, interval: 50 },
    );
    expect(Math.max(...served.values())).toBeGreaterThan(0);
  });
});

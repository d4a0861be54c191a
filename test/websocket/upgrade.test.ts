import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { addKey } from "../http/add-key.ts";
import { ask, INVALID_KEY, refusalOf } from "../http/ask.ts";
import { startTestGateway, strangeKey, type TestGateway } from "../support/gateway.ts";
import { openRaw, readAnswers } from "../support/raw-connection.ts";
import { type Client, connect, refused } from "./client.ts";

let gateway: TestGateway;
let base: string;
let accountId: string;
const open: Client[] = [];

beforeAll(async () => {
  const upstreams = [{ name: "node", url: "http://127.0.0.1:9" }];
  const network = { name: "net", family: "evm", chainId: 1, upstreams };
  const own = { ...network, name: "own", chainId: 2, hosts: ["own.example.com"] };
  gateway = await startTestGateway({
    networks: [network, own],
    server: { websocket: { maxConnectionsPerKey: 3 } },
  });
  base = `ws://127.0.0.1:${gateway.port}`;
  accountId = (await gateway.storage.accounts.list())[0]?.id ?? "";
});
afterAll(() => gateway.stop());
afterEach(async () => {
  for (const { socket } of open) socket.terminate();
  await Promise.all(open.map(({ closed }) => closed));
  open.length = 0;
});

const opened = async (url: string): Promise<Client> => {
  const client = await connect(url);
  open.push(client);
  return client;
};
const HOW =
  "write /<network>/v3/<API_KEY> for HTTP POST or /<network>/ws/v3/<API_KEY> for WebSocket; networks: net, own";

describe("an upgrade that is refused gets an HTTP answer", () => {
  test("404 for an unknown network, with the known ones", async () => {
    const { status, answer } = await refused(`${base}/nope/ws/v3/${gateway.key}`);
    expect(status).toBe(404);
    expect(answer).toEqual(refusalOf(404, "Not Found", `no network "nope"; ${HOW}`));
  });

  test("401, one and the same, for a missing, malformed or unknown key", async () => {
    for (const key of ["", "malformed", strangeKey()]) {
      const { status, answer, headers } = await refused(`${base}/net/ws/v3/${key}`);
      expect({ status, answer }).toEqual({ status: 401, answer: INVALID_KEY });
      expect(headers).toMatchObject({
        connection: "close",
        "content-type": "application/json",
        "access-control-allow-origin": "*",
      });
      expect(headers["x-request-id"]).toMatch(/^[\w.-]{1,64}$/);
    }
    expect((await refused(`${base}/net/ws/v3`)).status).toBe(401);
  });

  test("403 for a suspended account", async () => {
    await gateway.storage.accounts.update(accountId, { suspended: true });
    const { answer } = await vi.waitFor(
      async () => {
        const refusal = await refused(gateway.ws());
        expect(refusal.status).toBe(403);
        return refusal;
      },
      { timeout: 5000, interval: 20 },
    );
    const error = { code: 403, event: -33100, message: "Forbidden", details: "account suspended" };
    expect(answer).toEqual({ jsonrpc: "2.0", id: null, error });
    await gateway.storage.accounts.update(accountId, { suspended: false });
    await vi.waitFor(() => opened(gateway.ws()), { timeout: 5000, interval: 20 });
  });

  test("400 for a request that is no handshake of WebSocket 13", async () => {
    for (const line of ["Sec-WebSocket-Version: 12", "Sec-WebSocket-Version: 13", "X: y"]) {
      const raw = await openRaw(gateway.port);
      const path = new URL(gateway.ws()).pathname;
      const upgrade = "Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket";
      raw.send(`GET ${path} HTTP/1.1\r\n${upgrade}\r\n${line}\r\n\r\n`);
      const [answer] = readAnswers(await raw.closed);
      expect(answer?.status).toBe(400);
      expect(JSON.parse(answer?.body ?? "")).toMatchObject({ id: null, error: { code: 400 } });
    }
  });

  test("a plain GET on the WebSocket's address is no upgrade", async () => {
    const response = await fetch(gateway.ws().replace("ws:", "http:"));
    expect(response.status).toBe(404);
    expect(await response.text()).toContain("this address is for WebSocket");
  });
});

test("a WebSocket opens where POSTs are sent, as @solana/web3.js does it", async () => {
  const client = await opened(`${base}/net/v3/${gateway.key}`);
  client.send('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}');
  expect(JSON.parse((await client.received(1))[0] ?? "")).toMatchObject({ result: "0x1" });
});

/** How many client connections are open. */
const connections = async (): Promise<number> => {
  const metrics = await (await gateway.admin("/metrics")).text();
  return Number(/^tollgate_connections\{transport="http"\} (\d+)/m.exec(metrics)?.[1]);
};

describe("connections of one key", () => {
  const tooMany = {
    jsonrpc: "2.0",
    id: null,
    error: {
      code: 429,
      message: "Too Many Requests",
      details: "3 WebSockets are open with this key",
    },
  };

  test("one more than maxConnectionsPerKey is 429 until another is closed", async () => {
    const [first] = [await opened(gateway.ws()), await opened(gateway.ws())];
    await opened(gateway.ws("own"));
    const { status, answer, headers } = await refused(gateway.ws());
    expect({ status, answer }).toEqual({ status: 429, answer: tooMany });
    expect(headers["retry-after"]).toBe("1");
    first?.socket.close();
    await first?.closed;
    await vi.waitFor(() => opened(gateway.ws()), { timeout: 5000, interval: 5 });
  });

  test("no more get in when many wait for the same key to be looked up", async () => {
    const { key } = await addKey(gateway);
    let answer = (): void => undefined;
    const { keys } = gateway.storage;
    const { findByHash } = keys;
    const lookUp = vi.spyOn(keys, "findByHash").mockImplementation(async (hash) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return findByHash(hash);
    });
    const before = await connections();
    const attempts = Array.from({ length: 12 }, () => opened(`${base}/net/ws/v3/${key}`));
    await vi.waitFor(async () => expect(await connections()).toBe(before + 12), { interval: 5 });
    // A round trip more: all twelve upgrades have been read by now.
    expect((await ask(gateway.port, { target: `/net/v3/${gateway.key}` })).status).toBe(200);
    lookUp.mockRestore();
    answer();
    const settled = await Promise.allSettled(attempts);
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  });

  test("another key is not counted", async () => {
    for (let count = 0; count < 3; count += 1) await opened(gateway.ws());
    const { key } = await addKey(gateway);
    const { socket } = await opened(`${base}/net/ws/v3/${key}`);
    expect(socket.readyState).toBe(socket.OPEN);
  });
});

test("an upgrade is accepted by path, by query and on a network's own host", async () => {
  const call = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';
  const results: unknown[] = [];
  for (const url of [gateway.ws(), `${gateway.ws("own")}?x=1`]) {
    const client = await opened(url);
    client.send(call);
    results.push(JSON.parse((await client.received(1))[0] ?? "").result);
  }
  expect(results).toEqual(["0x1", "0x2"]);
  const headers = { Host: "own.example.com" };
  const { answer } = await refused(`${base}/net/ws/v3/${gateway.key}`, headers);
  expect(JSON.stringify(answer)).toContain("this host is of the network own, the path of net");
});

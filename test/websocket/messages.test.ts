import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { addKey } from "../http/add-key.ts";
import { ask } from "../http/ask.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { openRaw } from "../support/raw-connection.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { type Client, connect } from "./client.ts";

const MAX_CALLS_IN_AIR = 4;
const LIMIT = 5 * 1024 * 1024;

let node: StandInNode;
let gateway: TestGateway;
let client: Client;

beforeAll(async () => {
  node = await startStandInNode();
  const upstreams = [{ name: "node", url: node.url }];
  gateway = await startTestGateway({
    networks: [{ name: "net", family: "evm", chainId: 1, upstreams }],
    server: { websocket: { maxCallsInAir: MAX_CALLS_IN_AIR } },
  });
});
afterAll(async () => {
  await gateway.stop();
  await node.stop();
});
beforeEach(async () => {
  client = await connect(gateway.ws());
});
afterEach(() => client.socket.terminate());

const chainId = (id: number | string) => `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`;
const balance = (id: number) =>
  `{"jsonrpc":"2.0","id":${id},"method":"eth_getBalance","params":["0x${String(id).padStart(40, "0")}"]}`;
const idsOf = (messages: readonly string[]) => messages.map((each) => JSON.parse(each).id);
/** The number in the address of the node's request. */
const asked = (params: readonly unknown[]) => Number(String(params[0]).slice(2));
/** Gates that the node waits at, by the number in the address. */
const holdNode = () => {
  const open = new Map<number, () => void>();
  node.reply = async ({ params }) => {
    await new Promise<void>((resolve) => open.set(asked(params), resolve));
    return { result: `0x${asked(params)}` };
  };
  return open;
};
const waits = (gates: Map<number, unknown>, count: number) =>
  vi.waitFor(() => expect(gates.size).toBe(count), { timeout: 5000, interval: 2 });

/** A short client's frame, whose mask changes nothing. */
const frame = (opcode: number, text: string, fin = true): Buffer => {
  const head = [(fin ? 0x80 : 0) | opcode, 0x80 | text.length, 0, 0, 0, 0];
  return Buffer.concat([Buffer.from(head), Buffer.from(text)]);
};
const halves = (bytes: Buffer): [Buffer, Buffer] => [bytes.subarray(0, 30), bytes.subarray(30)];

/** The ids of the answers to chunks that are each sent by themselves, `early` with the handshake. */
async function answeredIds(
  chunks: readonly Buffer[],
  count: number,
  early: readonly Buffer[] = [],
): Promise<number[]> {
  const { pathname } = new URL(gateway.ws());
  const raw = await openRaw(gateway.port);
  const lines = [
    `GET ${pathname} HTTP/1.1`,
    "Host: a",
    ...["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"],
    `Sec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}`,
  ];
  raw.send(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), ...early]));
  const ids = () => [...raw.received().matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
  const until = (what: () => void) => vi.waitFor(what, { timeout: 5000, interval: 2 });
  await until(() => expect(raw.received()).toMatch(/^HTTP\/1\.1 101 /));
  for (const chunk of chunks) {
    raw.send(chunk);
    // What is answered meanwhile shows that the gateway has had time to read it.
    await ask(gateway.port, { target: `/net/v3/${gateway.key}`, body: chainId(0) });
  }
  await until(() => expect(ids()).toHaveLength(count));
  raw.socket.destroy();
  return ids();
}

describe("messages", () => {
  test("are answered in any order, each as soon as its answer is there", async () => {
    // The first call of an account waits for its credits; the ones after it do not.
    await ask(gateway.port, { target: `/net/v3/${gateway.key}`, body: chainId(0) });
    const gates = holdNode();
    client.send(balance(1));
    client.send(`[${balance(2)},${chainId(20)}]`);
    client.send(balance(3));
    client.send(chainId(4));
    expect(idsOf(await client.received(1))).toEqual([4]);
    await waits(gates, 3);
    for (const id of [3, 1, 2]) {
      gates.get(id)?.();
      await client.received(idsOf(client.messages).length + 1);
    }
    const [, third, first, batch] = client.messages;
    expect(third).toBe('{"jsonrpc":"2.0","id":3,"result":"0x3"}');
    expect(first).toBe('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
    expect(JSON.parse(batch ?? "").map(({ id }: { id: number }) => id)).toEqual([2, 20]);
  });

  test("in pieces are one message", async () => {
    const text = chainId('"é"');
    for (const char of text) client.socket.send(char, { fin: false });
    client.socket.send("", { fin: true });
    expect(await client.received(1)).toEqual(['{"jsonrpc":"2.0","id":"é","result":"0x1"}']);
  });

  test("in frames of any kind, cut anywhere, are answered in their order", async () => {
    const chunks = [
      frame(1, chainId(1)),
      ...halves(frame(1, chainId(2))),
      Buffer.concat([frame(9, "ping"), frame(1, chainId(3)), frame(2, chainId(4))]),
      ...[frame(1, chainId(5)), halves(frame(1, chainId(6)))[0]],
      Buffer.concat([halves(frame(1, chainId(6)))[1], frame(1, chainId(7))]),
      frame(1, chainId(8).slice(0, 9), false),
      frame(0, chainId(8).slice(9)),
      frame(1, chainId(9)),
    ];
    expect(await answeredIds(chunks, 9)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("that come with the handshake, or half of one, are answered", async () => {
    // The masked payload looks like a frame itself, and is alone in its read.
    const mask = [0x81 ^ 0x7b, 0x80 ^ 0x22, 0, 0];
    const payload = Buffer.from(chainId(2)).map((byte, at) => byte ^ (mask[at % 4] ?? 0));
    const head = Buffer.from([0x81, 0x80 | payload.length, ...mask]);
    const chunks = [Buffer.from(payload), frame(1, chainId(3)), frame(1, chainId(4))];
    expect(await answeredIds(chunks, 4, [frame(1, chainId(1)), head])).toEqual([1, 2, 3, 4]);
  });

  test("that are no JSON keep the connection", async () => {
    for (const text of ["", "{", "[", "nonsense"]) client.send(text);
    client.send(chainId(1));
    const messages = await client.received(5);
    expect(idsOf(messages)).toEqual([null, null, null, null, 1]);
  });

  test("of 5 MiB are answered; one byte more closes with 1009", async () => {
    client.send(chainId(1).padEnd(LIMIT));
    expect(idsOf(await client.received(1))).toEqual([1]);
    client.send(chainId(2).padEnd(LIMIT + 1));
    expect((await client.closed).code).toBe(1009);
    expect(client.messages).toHaveLength(1);
  });

  test("that grow beyond 5 MiB piece by piece close with 1009", async () => {
    const piece = Buffer.alloc(1024 * 1024, " ");
    for (let count = 0; count < 6; count += 1) client.socket.send(piece, { fin: false });
    expect((await client.closed).code).toBe(1009);
  });

  test("of text that is no UTF-8 close with 1007", async () => {
    client.send(Buffer.from([0x22, 0xff, 0x22]));
    expect((await client.closed).code).toBe(1007);
  });

  test("with a large answer arrive whole, beside small ones", async () => {
    const code = `0x${"5b".repeat(4_000_000)}`;
    node.reply = ({ params }) => ({ result: asked(params) === 1 ? code : "0x2" });
    client.send(`[${balance(1)},${balance(3)}]`);
    client.send(balance(2));
    const all = [...(await client.received(2))].sort((a, b) => b.length - a.length);
    const [large, small] = all.map((each) => JSON.parse(each));
    expect(small).toEqual({ jsonrpc: "2.0", id: 2, result: "0x2" });
    expect(large[0].result === code).toBe(true);
    expect(large[1].result).toBe("0x2");
  });
});

test("more calls than maxCallsInAir wait unread, without an error", async () => {
  const gates = holdNode();
  const before = node.requests.length;
  const all = Array.from({ length: 3 * MAX_CALLS_IN_AIR }, (_, index) => index + 1);
  for (const id of all) client.send(balance(id));
  client.send(chainId(99));
  await waits(gates, MAX_CALLS_IN_AIR);
  // Others are served meanwhile, which also shows that the gateway had time to read more.
  for (let turn = 0; turn < 10; turn += 1) {
    const { status } = await ask(gateway.port, { target: `/net/v3/${gateway.key}` });
    expect(status).toBe(200);
  }
  expect(node.requests.length - before).toBe(MAX_CALLS_IN_AIR);
  expect(client.messages).toEqual([]);
  for (const id of all) {
    await vi.waitFor(() => expect(gates.has(id)).toBe(true), { timeout: 5000, interval: 1 });
    gates.get(id)?.();
  }
  const ids = idsOf(await client.received(all.length + 1));
  expect(ids.sort((a, b) => a - b)).toEqual([...all, 99]);
});

describe("an open connection ends with", () => {
  test("4401 when its key is revoked, and only with that key", async () => {
    const { id, key } = await addKey(gateway);
    const revoked = await connect(gateway.ws().replace(gateway.key, key));
    await gateway.storage.keys.revoke(id, Date.now());
    expect(await revoked.closed).toEqual({ code: 4401, reason: "the API key has ended" });
    client.send(chainId(1));
    expect(idsOf(await client.received(1))).toEqual([1]);
  });

  test("4401 when its key expires", async () => {
    const now = Date.now();
    const { key } = await addKey(gateway, now + 60_000);
    const expiring = await connect(gateway.ws().replace(gateway.key, key));
    vi.setSystemTime(now + 60_001);
    expect((await expiring.closed).code).toBe(4401);
    vi.useRealTimers();
    expect(client.socket.readyState).toBe(client.socket.OPEN);
  });

  test("4403 when its account is suspended", async () => {
    const [account] = await gateway.storage.accounts.list();
    await gateway.storage.accounts.update(account?.id ?? "", { suspended: true });
    expect(await client.closed).toEqual({ code: 4403, reason: "account suspended" });
    await gateway.storage.accounts.update(account?.id ?? "", { suspended: false });
    await vi.waitFor(
      async () => {
        client = await connect(gateway.ws());
      },
      { timeout: 5000, interval: 20 },
    );
  });
});

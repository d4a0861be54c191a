import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type ChainPair, quantity, startChainPair } from "../support/chain-pair.ts";
import { type FaultProxy, startFaultProxy } from "../support/fault-proxy.ts";
import { type Fault, NONE } from "../support/faults.ts";

const UNKNOWN = `0x${"11".repeat(32)}`;

let pair: ChainPair;
let proxy: FaultProxy;
let sockets: WebSocket[] = [];

beforeAll(async () => {
  pair = await startChainPair();
});
afterAll(() => pair?.stop());
beforeEach(async () => {
  const [node] = pair.nodes;
  if (node === undefined) throw new Error("no node");
  proxy = await startFaultProxy(node);
});
afterEach(async () => {
  for (const socket of sockets) socket.terminate();
  sockets = [];
  await proxy.stop();
});

const bodyOf = (method: string, params: readonly unknown[] = [], id = 7) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });

async function post(method: string, params?: readonly unknown[]): Promise<Response> {
  const headers = { "content-type": "application/json" };
  const signal = AbortSignal.timeout(10_000);
  return fetch(proxy.url, { method: "POST", headers, body: bodyOf(method, params), signal });
}

/** What the node says over HTTP: its result, or its whole error. */
async function ask(method: string, params?: readonly unknown[]): Promise<unknown> {
  const answer = (await (await post(method, params)).json()) as Record<string, unknown>;
  return "result" in answer ? answer["result"] : answer["error"];
}

async function open(): Promise<WebSocket> {
  const socket = new WebSocket(proxy.wsUrl);
  socket.on("error", () => undefined);
  sockets.push(socket);
  await once(socket, "open");
  return socket;
}

/** The next message, or `closed`, or `silence` after some time. */
async function next(socket: WebSocket, silenceMs = 300): Promise<string> {
  const signal = new AbortController();
  const options = { signal: signal.signal };
  try {
    return await Promise.race([
      once(socket, "message", options).then(([data]) => String(data)),
      once(socket, "close", options).then(() => "closed"),
      setTimeout(silenceMs, "silence", options),
    ]);
  } finally {
    signal.abort();
  }
}

async function say(socket: WebSocket, method: string, params?: readonly unknown[]) {
  const answered = next(socket, 2000);
  socket.send(bodyOf(method, params));
  return answered;
}

const CHAIN_ID = '"result":"0x7a69"';

describe("without a fault", () => {
  test("answers come as the node gives them, over HTTP and WebSocket, and are counted", async () => {
    expect(await ask("eth_chainId")).toBe("0x7a69");
    const socket = await open();
    expect(await say(socket, "eth_chainId")).toContain(CHAIN_ID);
    expect(await ask("eth_nothing")).toMatchObject({ code: -32_601 });
    expect(Object.fromEntries(proxy.calls)).toEqual({ eth_chainId: 2, eth_nothing: 1 });
    expect(proxy.count((method) => method === "eth_chainId")).toBe(2);
    expect(proxy.count()).toBe(3);
  });

  test("batches are answered, each call counted", async () => {
    const body = `[${bodyOf("eth_chainId")},${bodyOf("eth_blockNumber", [], 8)}]`;
    const headers = { "content-type": "application/json" };
    const response = await fetch(proxy.url, { method: "POST", headers, body });
    expect(await response.json()).toHaveLength(2);
    expect(proxy.count()).toBe(2);
  });

  test("new heads come over WebSocket", async () => {
    const socket = await open();
    expect(await say(socket, "eth_subscribe", ["newHeads"])).toMatch(/"result":"0x/);
    const told = next(socket, 2000);
    await pair.mine(1);
    expect(await told).toContain(`"number":"${quantity(pair.head())}"`);
  });
});

describe("over HTTP", () => {
  test("latency: the answer is right, and late", async () => {
    await proxy.set({ kind: "latency", ms: 200 });
    const begun = performance.now();
    expect(await ask("eth_chainId")).toBe("0x7a69");
    expect(performance.now() - begun).toBeGreaterThanOrEqual(199);
  });

  test("a reset before the head leaves nothing, one after it a head", async () => {
    await proxy.set({ kind: "reset", when: "before headers" });
    await expect(post("eth_chainId")).rejects.toThrow();
    await proxy.set({ kind: "reset", when: "after headers" });
    const response = await post("eth_getBlockByNumber", ["0x2", true]);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  test.each(["half-open", "hang"] as const)("%s: no answer, and no end", async (kind) => {
    await proxy.set({ kind });
    const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
    const happened: string[] = [];
    for (const event of ["data", "end", "close", "error"]) {
      socket.on(event, () => happened.push(event));
    }
    const body = bodyOf("eth_chainId");
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    await setTimeout(300);
    expect(happened).toEqual([]);
    expect(proxy.count()).toBe(1);
    socket.destroy();
  });

  test("garbage is no JSON, with status 200", async () => {
    await proxy.set({ kind: "garbage" });
    const response = await post("eth_chainId");
    expect([response.status, (await response.text())[0]]).toEqual([200, "<"]);
  });

  test.each(["length", "chunks"] as const)("truncated by %s: the body ends early", async (by) => {
    await proxy.set({ kind: "truncated", by });
    const response = await post("eth_chainId");
    expect(response.headers.has("content-length")).toBe(by === "length");
    await expect(response.text()).rejects.toThrow();
  });

  test("the wrong id stands on the right answer", async () => {
    await proxy.set({ kind: "wrong-id" });
    const answer = await (await post("eth_chainId")).json();
    expect(answer).toMatchObject({ id: 1_000_000_014, result: "0x7a69" });
  });

  test.each([
    [{ kind: "status", status: 429 }, 429, null],
    [{ kind: "status", status: 429, retryAfter: "2" }, 429, "2"],
    [{ kind: "status", status: 500 }, 500, null],
    [{ kind: "unavailable-page" }, 503, null],
  ] as const)("%j", async (fault, status, retryAfter) => {
    await proxy.set(fault);
    const response = await post("eth_chainId");
    expect([response.status, response.headers.get("retry-after")]).toEqual([status, retryAfter]);
    const isPage = fault.kind === "unavailable-page";
    expect((await response.text())[0]).toBe(isPage ? "<" : "{");
  });

  test("drip: the head at once, then a byte at a time", async () => {
    await proxy.set({ kind: "drip", everyMs: 5 });
    const begun = performance.now();
    const response = await post("eth_chainId");
    const head = performance.now() - begun;
    expect(await response.json()).toMatchObject({ result: "0x7a69" });
    expect(performance.now() - begun - head).toBeGreaterThan(30 * 5);
  });
});

describe("over WebSocket", () => {
  test("latency", async () => {
    const socket = await open();
    await proxy.set({ kind: "latency", ms: 200 });
    const begun = performance.now();
    expect(await say(socket, "eth_chainId")).toContain(CHAIN_ID);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(199);
  });

  test.each([
    { kind: "reset", when: "before headers" },
    { kind: "reset", when: "after headers" },
    { kind: "unavailable-page" },
    { kind: "truncated", by: "chunks" },
  ] as const)("%j ends the connection without an answer", async (fault) => {
    const socket = await open();
    await proxy.set(fault);
    expect(await say(socket, "eth_chainId")).toBe("closed");
  });

  test("half-open answers no ping, hang does", async () => {
    const socket = await open();
    await proxy.set({ kind: "hang" });
    socket.send(bodyOf("eth_chainId"));
    expect(await next(socket)).toBe("silence");
    const ponged = once(socket, "pong");
    socket.ping();
    await ponged;
    await proxy.set({ kind: "half-open" });
    let pongs = 0;
    socket.on("pong", () => {
      pongs += 1;
    });
    socket.ping();
    socket.send(bodyOf("eth_chainId"));
    expect(await next(socket)).toBe("silence");
    expect(pongs).toBe(0);
  });

  test("an upgrade is left hanging, reset or refused", async () => {
    const outcome = async (fault: Fault) => {
      await proxy.set(fault);
      const socket = new WebSocket(proxy.wsUrl);
      sockets.push(socket);
      const opened = once(socket, "open").then(() => "open");
      const failed = opened.catch((error: Error) => error.message);
      return Promise.race([failed, setTimeout(300, "silence")]);
    };
    expect(await outcome({ kind: "half-open" })).toBe("silence");
    expect(await outcome({ kind: "reset", when: "before headers" })).toMatch(/ECONNRESET|hang up/);
    expect(await outcome({ kind: "status", status: 429, retryAfter: "1" })).toContain("429");
    expect(await outcome({ kind: "status", status: 500 })).toContain("500");
    expect(await outcome({ kind: "unavailable-page" })).toContain("503");
    expect(await outcome({ kind: "garbage" })).toContain("200");
    expect(await outcome({ kind: "hang" })).toBe("open");
  });

  test("garbage, half a text, a wrong id, errors", async () => {
    const socket = await open();
    const said = async (fault: Fault) => {
      await proxy.set(fault);
      return say(socket, "eth_chainId");
    };
    expect(await said({ kind: "garbage" })).toMatch(/^</);
    expect(await said({ kind: "truncated", by: "length" })).toMatch(/^\{"jsonrpc"[^}]*$/);
    expect(await said({ kind: "wrong-id" })).toContain('"id":1000000014');
    expect(await said({ kind: "status", status: 429 })).toContain("-32005");
    expect(await said({ kind: "status", status: 500 })).toContain("-32603");
    expect(await said(NONE)).toContain(CHAIN_ID);
  });

  test("drip: whole messages, one after the other", async () => {
    const socket = await open();
    await proxy.set({ kind: "drip", everyMs: 2 });
    const messages: string[] = [];
    socket.on("message", (data) => messages.push(String(data)));
    const begun = performance.now();
    socket.send(bodyOf("eth_chainId", [], 1));
    socket.send(bodyOf("eth_chainId", [], 2));
    await expect.poll(() => messages.length, { timeout: 5000 }).toBe(2);
    expect(performance.now() - begun).toBeGreaterThan(60 * 2);
    expect(messages.map((text) => JSON.parse(text).id).toSorted()).toEqual([1, 2]);
  });
});

describe("a stale head", () => {
  test("is the one that it began with; what came later is null, or not found", async () => {
    const { samples } = pair;
    await proxy.set({ kind: "stale" });
    const last = quantity(pair.head());
    const hash = await pair.leaveWaiting();
    await pair.mine(3);
    const newest = quantity(pair.head());
    expect(await ask("eth_blockNumber")).toBe(last);
    expect(await ask("eth_getBlockByNumber", ["latest", false])).toMatchObject({ number: last });
    expect(await ask("eth_getBlockByNumber", [last, false])).toMatchObject({ number: last });
    const later = [
      ["eth_getBlockByNumber", [newest, false]],
      ["eth_getBlockReceipts", [newest]],
      ["eth_getTransactionReceipt", [hash]],
      ["eth_getTransactionByHash", [hash]],
    ] as const;
    for (const [method, params] of later) expect(await ask(method, params), method).toBeNull();
    const account = samples.accounts.sender;
    expect(await ask("eth_getBalance", [account, newest])).toMatchObject({
      message: "header not found",
    });
    expect(await ask("eth_getTransactionCount", [account, "latest"])).toBe(
      await ask("eth_getTransactionCount", [account, last]),
    );
    await proxy.set(NONE);
    expect(await ask("eth_blockNumber")).toBe(newest);
    const block = (await ask("eth_getBlockByNumber", [newest, false])) as { hash: string };
    await proxy.set({ kind: "stale" });
    expect(await ask("eth_getBlockByHash", [block.hash, false])).toMatchObject({ number: newest });
  });

  test("is announced no further, and the logs end with it", async () => {
    const socket = await open();
    await say(socket, "eth_subscribe", ["newHeads"]);
    await proxy.set({ kind: "stale" });
    const told = next(socket);
    await pair.mine(1);
    expect(await told).toBe("silence");
    const logs = { fromBlock: "0x1", toBlock: quantity(pair.head()) };
    expect(await ask("eth_getLogs", [logs])).not.toHaveLength(0);
  });

  test("does not know a later block by its hash either", async () => {
    await proxy.set({ kind: "stale" });
    await pair.mine(1);
    const [node] = pair.nodes;
    const headers = { "content-type": "application/json" };
    const body = bodyOf("eth_getBlockByNumber", ["latest", false]);
    const direct = await fetch(node?.url ?? "", { method: "POST", headers, body });
    const { hash } = ((await direct.json()) as { result: { hash: string } }).result;
    expect(await ask("eth_getBlockByHash", [hash, false])).toBeNull();
    const { greeting } = pair.samples.calls;
    expect(await ask("eth_call", [greeting, { blockHash: hash }])).toMatchObject({
      message: "header not found",
    });
  });
});

describe("a forked head", () => {
  test("has other hashes from its block on, which stay together", async () => {
    type Block = { hash: string; parentHash: string };
    const block = async (number: number) =>
      (await ask("eth_getBlockByNumber", [quantity(number), false])) as Block;
    const real = await block(41);
    await proxy.set({ kind: "forked", from: 41 });
    const [before, first, second] = [await block(40), await block(41), await block(42)];
    expect(first.hash).not.toBe(real.hash);
    expect([first.parentHash, second.parentHash]).toEqual([before.hash, first.hash]);
    expect(await ask("eth_getBlockByHash", [real.hash, false])).toBeNull();
    expect(await ask("eth_getBlockByHash", [first.hash, false])).toEqual(first);
  });

  test("is announced so, also what comes later", async () => {
    const socket = await open();
    await say(socket, "eth_subscribe", ["newHeads"]);
    await proxy.set({ kind: "forked", from: 41 });
    const told = next(socket, 2000);
    await pair.mine(1);
    const { hash } = JSON.parse(await told).params.result as { hash: string };
    const latest = (await ask("eth_getBlockByNumber", ["latest", false])) as { hash: string };
    expect(latest.hash).toBe(hash);
    await proxy.set(NONE);
    expect(await ask("eth_getBlockByHash", [hash, false])).toBeNull();
  });
});

test("nulls: look-ups find nothing but what another node has shown, by hash and by number", async () => {
  const [, second] = pair.nodes;
  if (second === undefined) throw new Error("no node");
  const other = await startFaultProxy(second);
  const { hash } = pair.samples.transactions.legacy;
  await proxy.set({ kind: "nulls", except: other.shown });
  expect(await ask("eth_getTransactionReceipt", [hash])).toBeNull();
  expect(await ask("eth_getBlockByNumber", ["latest", false])).toBeNull();
  expect(await ask("eth_getBalance", [pair.samples.accounts.sender, "latest"])).toMatch(/^0x/);
  const headers = { "content-type": "application/json" };
  const askOther = (method: string, params: readonly unknown[]) =>
    fetch(other.url, { method: "POST", headers, body: bodyOf(method, params) });
  await (await askOther("eth_getTransactionReceipt", [hash])).text();
  await (await askOther("eth_getTransactionReceipt", [UNKNOWN])).text();
  await (await askOther("eth_getBlockByNumber", ["latest", false])).text();
  await other.stop();
  expect(await ask("eth_getTransactionReceipt", [hash])).toMatchObject({ transactionHash: hash });
  expect(await ask("eth_getBlockByNumber", ["latest", false])).not.toBeNull();
  expect(await ask("eth_getBlockByNumber", [quantity(pair.head()), false])).not.toBeNull();
  expect(await ask("eth_getBlockByNumber", ["0x3", false])).toBeNull();
  expect(other.shown.has(UNKNOWN)).toBe(false);
});

test("another chain: connections drop, then the id and all hashes are others", async () => {
  const socket = await open();
  const real = (await ask("eth_getBlockByNumber", ["0x2", false])) as { hash: string };
  const closed = once(socket, "close");
  await proxy.set({ kind: "other-chain", chainId: 5 });
  await closed;
  expect(await ask("eth_chainId")).toBe("0x5");
  expect(await ask("net_version")).toBe("5");
  const block = (await ask("eth_getBlockByNumber", ["0x2", false])) as { hash: string };
  expect(block.hash).not.toBe(real.hash);
  const again = await open();
  expect(await say(again, "eth_chainId")).toContain('"0x5"');
});

test("where its node is gone, connections are reset", async () => {
  const gone = await startFaultProxy({ url: "http://127.0.0.1:1", wsUrl: "ws://127.0.0.1:1" });
  const headers = { "content-type": "application/json" };
  const body = bodyOf("eth_chainId");
  await expect(fetch(gone.url, { method: "POST", headers, body })).rejects.toThrow();
  const socket = new WebSocket(gone.wsUrl);
  socket.on("error", () => undefined);
  await once(socket, "open");
  const ended = once(socket, "close");
  socket.send(bodyOf("eth_subscribe", ["newHeads"]));
  await ended;
  await gone.stop();
});

import { createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type StandInNode, startStandInNode } from "../../test/support/stand-in-node.ts";
import { timed } from "../../test/support/timed.ts";
import { DEFAULT_WIRE } from "../config/default-wire.ts";
import { wholeBytes } from "../lib/bytes.ts";
import { TimerWheel } from "../lib/timer-wheel.ts";
import { EventLoop } from "../wire/event-loop.ts";
import { HttpUpstream, type HttpUpstreamOptions } from "./http-upstream.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

let now: number;
let timers: TimerWheel;
let node: StandInNode;
let upstream: HttpUpstream;

const options = (over: Partial<HttpUpstreamOptions> = {}): HttpUpstreamOptions => ({
  name: "node",
  url: node.url,
  headers: {},
  maxConnections: 1,
  maxResponseBytes: 10_000,
  ...over,
});
const open = async (over: Partial<HttpUpstreamOptions>): Promise<void> => {
  await upstream.close();
  upstream = new HttpUpstream(options(over), { timers, loop: new EventLoop(DEFAULT_WIRE) });
};

beforeEach(async () => {
  now = 0;
  timers = new TimerWheel(timed({ monotonic: () => now }));
  node = await startStandInNode(() => ({ result: "0x1" }));
  upstream = new HttpUpstream(options(), { timers, loop: new EventLoop(DEFAULT_WIRE) });
});
afterEach(async () => {
  await upstream.close();
  await node.stop();
});

const call = (method = "eth_blockNumber", params = "[]"): Promise<UpstreamAnswer> =>
  new Promise((resolve) =>
    upstream.call({ method, params, timeoutMs: 1000 }, { answered: resolve }),
  );
const ask = async (): Promise<string> => {
  const answer = await call();
  return answer.kind === "result" ? wholeBytes(answer.result).toString() : answer.kind;
};
const passes = (ms: number): void => {
  now += ms;
  timers.advance();
};
const asked = (count: number) =>
  vi.waitFor(() => expect(node.requests).toHaveLength(count), { timeout: 5000, interval: 2 });

describe("the request", () => {
  test("is a POST of one call with an id of its own, and asks for no compression", async () => {
    await call("eth_getBalance", '["0x\\u00e9",1.0]');
    await call();
    const [first, second] = node.requests;
    expect(first?.text).toBe(
      `{"jsonrpc":"2.0","id":${first?.id},"method":"eth_getBalance","params":["0x\\u00e9",1.0]}`,
    );
    expect(second?.id).not.toBe(first?.id);
    const { host, ...headers } = first?.headers ?? {};
    expect(host).toBe(new URL(node.url).host);
    const length = String(Buffer.byteLength(first?.text ?? ""));
    expect(headers).toEqual({
      connection: "keep-alive",
      "content-type": "application/json",
      "content-length": length,
    });
  });

  test("keeps the URL's path and query; its user and password become Basic", async () => {
    const paths: (string | undefined)[] = [];
    const server = await listen((socket, head) => {
      paths.push(head);
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`);
    });
    await open({ url: `http://us%40er:p%3Ass@127.0.0.1:${server.port}/a%20b/key?x=1&y=/` });
    await call();
    expect(paths[0]).toMatch(/^POST \/a%20b\/key\?x=1&y=\/ HTTP\/1\.1\r\n/);
    const basic = Buffer.from("us@er:p:ss").toString("base64");
    expect(paths[0]).toContain(`authorization: Basic ${basic}\r\n`);
    expect(paths[0]).not.toContain("us%40er");
    await server.stop();
  });

  test("carries the configured headers", async () => {
    await open({ headers: { "X-Key": "secret", Authorization: "Bearer b" } });
    await call();
    expect(node.requests[0]?.headers).toMatchObject({
      "x-key": "secret",
      authorization: "Bearer b",
    });
  });

  test("has each header once, however the file spells it", async () => {
    const heads: string[] = [];
    const server = await listen((socket, head) => {
      heads.push(head.slice(0, head.indexOf("\r\n\r\n")).toLowerCase());
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    });
    const headers = { HOST: "node.test", Authorization: "Bearer b", "X-Latin": "caf\u00e9" };
    await open({ url: `http://u:p@127.0.0.1:${server.port}/`, headers });
    await call("m", '["\u00e9\u{1f600}"]');
    const lines = heads[0]?.split("\r\n").slice(1).sort();
    expect(lines).toEqual([
      "authorization: basic dtpw",
      "connection: keep-alive",
      expect.stringMatching(/^content-length: /),
      "content-type: application/json",
      "host: node.test",
      expect.stringMatching(/^x-latin: caf/),
    ]);
    await server.stop();
  });

  test("goes over a connection that is kept", async () => {
    let connections = 0;
    const server = await listen((socket, head) => {
      const id = /"id":(\d+)/.exec(head)?.[1];
      const body = `{"jsonrpc":"2.0","id":${id},"result":1}`;
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    });
    server.server.on("connection", () => {
      connections += 1;
    });
    await open({ url: `http://127.0.0.1:${server.port}` });
    for (let turn = 0; turn < 5; turn += 1) expect(await ask()).toBe("1");
    expect(connections).toBe(1);
    await server.stop();
  });
});

describe("the deadline", () => {
  test("ends a call to a node that says nothing, and the connection with it", async () => {
    node.reply = () => "hang";
    const answer = call();
    await asked(1);
    passes(999);
    node.reply = () => ({ result: "0x2" });
    passes(50);
    expect(await answer).toEqual({ kind: "timeout" });
    // The only connection is free again.
    expect(await ask()).toBe('"0x2"');
  });

  test("ends a call in the middle of its answer", async () => {
    const server = await listen((socket) =>
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"),
    );
    await open({ url: `http://127.0.0.1:${server.port}` });
    const answer = call();
    await vi.waitFor(() => expect(server.sockets.size).toBe(1), { interval: 2 });
    passes(1100);
    expect(await answer).toEqual({ kind: "timeout" });
    await vi.waitFor(() => expect(server.sockets.size).toBe(0), { timeout: 5000, interval: 2 });
    await server.stop();
  });

  test("ends a call that waits for a connection, which is then never sent", async () => {
    let release = (): void => undefined;
    node.reply = async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return { result: "0x1" };
    };
    const first = new Promise<UpstreamAnswer>((resolve) =>
      upstream.call({ method: "a", params: "[]", timeoutMs: 5000 }, { answered: resolve }),
    );
    await asked(1);
    const request = { method: "b", params: "[]", timeoutMs: 1000, account: "acct" };
    const waiting = new Promise((resolve) => upstream.call(request, { answered: resolve }));
    passes(1100);
    // Nothing is said of the node by that.
    expect(await waiting).toEqual({ kind: "no_place" });
    release();
    expect((await first).kind).toBe("result");
    node.reply = () => ({ result: "0x3" });
    expect(await ask()).toBe('"0x3"');
    expect(node.requests.map(({ method }) => method)).toEqual(["a", "eth_blockNumber"]);
  });

  test("is told once, and nothing that comes after it", async () => {
    const answers: string[] = [];
    upstream.call(
      { method: "m", params: "[]", timeoutMs: 1000 },
      { answered: ({ kind }) => answers.push(kind) },
    );
    await vi.waitFor(() => expect(answers).toHaveLength(1), { timeout: 5000, interval: 2 });
    passes(5000);
    expect(answers).toEqual(["result"]);
  });
});

describe("a connection that fails is unreachable", () => {
  test("reset by the node", async () => {
    node.reply = () => "reset";
    expect(await call()).toEqual({ kind: "unreachable", code: expect.stringMatching(/^[A-Z_]+$/) });
    node.reply = () => ({ result: "0x2" });
    expect(await ask()).toBe('"0x2"');
  });

  test("refused", async () => {
    const { port, stop } = await listen(() => undefined);
    await stop();
    await open({ url: `http://127.0.0.1:${port}` });
    expect(await call()).toEqual({ kind: "unreachable", code: "ECONNREFUSED" });
  });

  test("ended before the announced length, or inside a chunk", async () => {
    for (const head of [
      "Content-Length: 50\r\n\r\n{}",
      "Transfer-Encoding: chunked\r\n\r\n5\r\n{}",
    ]) {
      const server = await listen((socket) => socket.end(`HTTP/1.1 200 OK\r\n${head}`));
      await open({ url: `http://127.0.0.1:${server.port}` });
      expect((await call()).kind).toBe("unreachable");
      await server.stop();
    }
  });

  test("that speaks no HTTP", async () => {
    const server = await listen((socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"));
    await open({ url: `http://127.0.0.1:${server.port}` });
    expect((await call()).kind).toBe("unreachable");
    await server.stop();
  });

  test("closed by us: calls in the air and later ones", async () => {
    node.reply = () => "hang";
    const inAir = call();
    await asked(1);
    await upstream.close();
    expect((await inAir).kind).toBe("unreachable");
    expect((await call()).kind).toBe("unreachable");
    // What failed at once is not told a second time, that its time is over.
    const told: string[] = [];
    const request = { method: "eth_chainId", params: "[]", timeoutMs: 1000 };
    upstream.call(request, { answered: ({ kind }) => told.push(kind) });
    now += 60_000;
    timers.advance();
    expect(told).toEqual(["unreachable"]);
  });
});

describe("the answer", () => {
  const limit = 10_000;
  /** The node's body is of this size, announced by its length or sent in chunks. */
  const answersIn = (sizeBytes: number, form: string): void => {
    node.reply = ({ id }) => {
      const [head, tail] = [`{"jsonrpc":"2.0","id":${id},"result":"`, '"}'];
      const body = head + "x".repeat(sizeBytes - head.length - tail.length) + tail;
      const announced = { "content-length": String(sizeBytes) };
      return { body, headers: form === "chunks" ? { "transfer-encoding": "chunked" } : announced };
    };
  };

  test.each(["one piece", "chunks"])(
    "in %s may be as large as maxResponseBytes and not a byte larger",
    async (form) => {
      answersIn(limit, form);
      expect((await call()).kind).toBe("result");
      answersIn(limit + 1, form);
      expect(await call()).toEqual({ kind: "too_large" });
      node.reply = () => ({ result: "0x2" });
      expect(await ask()).toBe('"0x2"');
    },
  );

  test("that announces too much is not waited for", async () => {
    const server = await listen((socket) =>
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n"),
    );
    await open({ url: `http://127.0.0.1:${server.port}` });
    expect(await call()).toEqual({ kind: "too_large" });
    await server.stop();
  });

  test("that never ends is cut off at the limit", async () => {
    const server = await listen((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const more = (): void => {
        if (socket.writable) socket.write("x".repeat(4096), more);
      };
      more();
    });
    await open({ url: `http://127.0.0.1:${server.port}` });
    expect(await call()).toEqual({ kind: "too_large" });
    await server.stop();
  });

  test("without a length ends with its connection, and is garbage where it was cut off", async () => {
    const large = JSON.stringify({ list: "x".repeat(5000), a: { b: { c: {} } }, d: 1 });
    for (const cut of [0, 8]) {
      const server = await listen((socket, head) => {
        const id = /"id":(\d+)/.exec(head)?.[1];
        const body = `{"jsonrpc":"2.0","id":${id},"result":${large}}`;
        socket.end(`HTTP/1.1 200 OK\r\n\r\n${body.slice(0, body.length - cut)}`);
      });
      await open({ url: `http://127.0.0.1:${server.port}` });
      expect(await ask()).toBe(cut === 0 ? large : "garbage");
      await server.stop();
    }
  });

  test("of a redirect is not followed", async () => {
    node.reply = () => ({ body: "", status: 302, headers: { location: `${node.url}/other` } });
    expect(await call()).toEqual({ kind: "garbage", status: 302, body: "" });
    expect(node.requests).toHaveLength(1);
  });

  test("keeps the status of an error", async () => {
    node.reply = () => ({ error: { code: -32005, message: "slow down" }, status: 429 });
    const error = { code: -32005, message: "slow down" };
    expect(await call()).toEqual({ kind: "error", status: 429, error });
  });
});

describe("what is no result says when to ask again, where the node does", () => {
  const error = { code: -32005, message: "slow down" };

  test.each([
    ["7", 7000],
    ["100000", 3_600_000],
    ["tomorrow", undefined],
  ])("Retry-After: %s", async (value, retryAfterMs) => {
    const headers = { "retry-after": value };
    node.reply = () => ({ body: "busy", status: 503, headers });
    const more = retryAfterMs === undefined ? {} : { retryAfterMs };
    expect(await call()).toEqual({ kind: "garbage", status: 503, body: "busy", ...more });
    node.reply = ({ id }) => ({ body: JSON.stringify({ id, error }), status: 429, headers });
    expect(await call()).toEqual({ kind: "error", status: 429, error, ...more });
  });
});

test("no way to fail says what the URL and the headers hold", async () => {
  const secret = "0123456789abcdef-secret";
  const told: UpstreamAnswer[] = [];
  for (const way of ["reset", "ssh", "cut", "echo", "long", "gone", "tls"]) {
    const server = await listen((socket, request) => {
      if (way === "reset") socket.resetAndDestroy();
      else if (way === "ssh") socket.end(`SSH-2.0 ${request}`);
      else if (way === "cut") socket.end(`HTTP/1.1 200 OK\r\nX: ${secret}\r\n`);
      else if (way === "long") socket.end("HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n");
      else socket.end(`HTTP/1.1 404 No\r\n\r\nno such path: ${request}`);
    });
    const scheme = way === "tls" ? "https" : "http";
    const url = `${scheme}://user:${secret}@127.0.0.1:${server.port}/${secret}?key=${secret}`;
    await open({ url, headers: { "X-Key": secret } });
    if (way === "gone") await server.stop();
    told.push(await call());
    await server.stop();
  }
  expect(told.map(({ kind }) => kind)).toEqual([
    "unreachable",
    "unreachable",
    "unreachable",
    "garbage",
    "too_large",
    "unreachable",
    "unreachable",
  ]);
  expect(JSON.stringify(told)).not.toContain("secret");
});

/** A server that answers each request's bytes as it likes. */
async function listen(answer: (socket: Socket, request: string) => void) {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (!text.endsWith("}") && !text.startsWith("\x16")) return;
      const request = text;
      text = "";
      answer(socket, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const stop = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { server, port, sockets, stop };
}

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { timed } from "../../test/support/timed.ts";
import { wholeBytes } from "../lib/bytes.ts";
import { fire, type Timer, TimerWheel } from "../lib/timer-wheel.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";
import type { NewHead } from "./ws-frame.ts";
import { WsUpstream, type WsUpstreamOptions } from "./ws-upstream.ts";

type Asked = { readonly id: number; readonly method: string; readonly text: string };
type Reply = (request: Asked, socket: WebSocket) => void;

let now: number;
let random: number;
/** How often the clock was looked at. */
let looks: number;
/** What the observer does at a change. */
let react: () => void;
let timers: TimerWheel;
/** How long each timer that is set was to wait. */
let waits: Map<Timer, number>;
let node: Awaited<ReturnType<typeof startNode>>;
let upstream: WsUpstream;
let heads: NewHead[];
let states: string[];

const SUBSCRIPTION = "0xcd0c3e8af590364c09d0fa6a1210faf5";

/** A node that takes the subscription and answers all else with "0x1", until it is told otherwise. */
async function startNode({ autoPong = true } = {}) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, autoPong });
  const requests: Asked[] = [];
  const handshakes: { url: string; headers: IncomingHttpHeaders }[] = [];
  let pings = 0;
  server.on("connection", (socket, { url = "", headers }) => {
    handshakes.push({ url, headers });
    socket.on("error", () => undefined);
    socket.on("ping", () => {
      pings += 1;
    });
    socket.on("message", (data) => {
      const text = String(data);
      const { id, method } = JSON.parse(text);
      requests.push({ id, method, text });
      standIn.reply({ id, method, text }, socket);
    });
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address() as AddressInfo;
  const standIn = {
    server,
    requests,
    handshakes,
    port: address.port,
    url: `ws://127.0.0.1:${address.port}`,
    reply: ((request, socket) => obey(request, socket)) as Reply,
    pings: () => pings,
    /** Sends this to each connection. */
    say: (text: string | Buffer) => {
      for (const socket of server.clients) socket.send(text);
    },
    cut: () => {
      for (const socket of server.clients) socket.terminate();
    },
    stop: async () => {
      standIn.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return standIn;
}

const result = (id: number, value: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id, result: value });
const obey: Reply = ({ id, method }, socket) =>
  socket.send(result(id, method === "eth_subscribe" ? SUBSCRIPTION : "0x1"));
/** Subscribes as usual; what becomes of calls is this function's. */
const forCalls =
  (reply: Reply): Reply =>
  (request, socket) =>
    (request.method === "eth_subscribe" ? obey : reply)(request, socket);

const create = (over: Partial<WsUpstreamOptions> = {}): WsUpstream =>
  new WsUpstream(
    { url: node.url, headers: {}, maxResponseBytes: 10_000, ...over },
    {
      clock: {
        monotonic: () => {
          looks += 1;
          return now;
        },
      },
      timers: {
        set: (ms, due) => {
          const timer = timers.set(ms, () => {
            waits.delete(timer);
            fire(due);
          });
          waits.set(timer, ms);
          return timer;
        },
        clear: (timer) => {
          waits.delete(timer);
          timers.clear(timer);
        },
      },
      random: () => random,
      observer: {
        head: (head) => heads.push(head),
        state: (state, reason) => {
          states.push(`${state} ${reason}`.trim());
          react();
        },
      },
    },
  );
const open = async (over: Partial<WsUpstreamOptions> = {}): Promise<void> => {
  await upstream.close();
  states = [];
  upstream = create(over);
  upstream.open();
};
const flows = async (over: Partial<WsUpstreamOptions> = {}): Promise<void> => {
  await open(over);
  await until(() => expect(states).toEqual(["flowing"]));
};

beforeEach(async () => {
  now = 0;
  random = 0;
  looks = 0;
  react = () => undefined;
  heads = [];
  states = [];
  waits = new Map();
  timers = new TimerWheel(timed({ monotonic: () => now }));
  node = await startNode();
  upstream = create();
});
afterEach(async () => {
  await upstream.close();
  await node.stop();
});

const until = (check: () => void) => vi.waitFor(check, { timeout: 5000, interval: 2 });
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
const asked = (count: number, method?: string) =>
  until(() =>
    expect(node.requests.filter((each) => [each.method, undefined].includes(method))).toHaveLength(
      count,
    ),
  );
/** The waits for the next try that are under way: all but the limits of a try, and the pings. */
const planned = (): number[] => [...waits.values()].filter((ms) => ![5000, 15_000].includes(ms));
const connected = (times: number) => until(() => expect(node.handshakes).toHaveLength(times));
const hex = (text: string): string => `0x${text.repeat(64 / text.length)}`;
const notify = (number: number, subscription = SUBSCRIPTION): void => {
  const head = { number: `0x${number.toString(16)}`, hash: hex("a"), parentHash: hex("b") };
  const block = { ...head, gasLimit: "0x5", timestamp: "0x6" };
  const params = { subscription, result: block };
  node.say(JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params }));
};
const numbers = (): number[] => heads.map(({ number }) => number);

describe("the handshake", () => {
  test("keeps the URL's path and query; its user and password become Basic", async () => {
    const url = `ws://us%40er:p%3Ass@127.0.0.1:${node.port}/a%20b/key?x=1&y=/#part`;
    await flows({ url, headers: { "X-Key": "secret" } });
    expect(node.handshakes[0]?.url).toBe("/a%20b/key?x=1&y=/");
    const basic = Buffer.from("us@er:p:ss").toString("base64");
    const { headers } = node.handshakes[0] ?? {};
    expect(headers).toMatchObject({ authorization: `Basic ${basic}`, "x-key": "secret" });
    expect(headers).not.toHaveProperty("sec-websocket-extensions");
  });

  test("that is refused says the status, or the system's name for it", async () => {
    node.server.options.verifyClient = (_: unknown, done: (ok: boolean, code: number) => void) =>
      done(false, 401);
    await open();
    await until(() => expect(states).toEqual(["down HTTP_401"]));
    await open({ url: `ws://127.0.0.1:${await unusedPort()}/key` });
    await until(() => expect(states).toEqual(["down ECONNREFUSED"]));
  });

  test("that a node never answers is given up after 5 s", async () => {
    const sockets = new Set<Socket>();
    const server = createTcpServer((socket) => {
      sockets.add(socket);
      socket.resume();
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    await open({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` });
    await until(() => expect(sockets.size).toBe(1));
    passes(4990);
    expect(states).toEqual([]);
    passes(60);
    expect(states).toEqual(["down WS_HANDSHAKE_TIMEOUT"]);
    await until(() => expect(sockets.size).toBe(0));
    await new Promise((resolve) => server.close(resolve));
  });

  test("that is redirected is not followed", async () => {
    node.server.options.verifyClient = (
      _: unknown,
      done: (ok: boolean, code: number, text: string, headers: OutgoingHttpHeaders) => void,
    ) => done(false, 302, "Found", { location: "ws://127.0.0.1:1/" });
    await open();
    await until(() => expect(states).toEqual(["down HTTP_302"]));
  });
});

describe("new heads", () => {
  test("are told as they come, from the moment in which the node takes the subscription", async () => {
    await flows();
    expect(node.requests[0]?.text).toBe(
      '{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}',
    );
    notify(7);
    notify(8);
    await until(() => expect(numbers()).toEqual([7, 8]));
    expect(heads[0]).toEqual({
      number: 7,
      hash: hex("a"),
      parentHash: hex("b"),
      gasLimit: "0x5",
      timestamp: 6,
    });
    expect(states).toEqual(["flowing"]);
  });

  test("of a subscription that is not ours are passed over", async () => {
    await flows();
    notify(7, "0xother");
    notify(8);
    await until(() => expect(numbers()).toEqual([8]));
    expect(states).toEqual(["flowing"]);
  });

  test("that are refused leave the socket for calls, and are asked for again", async () => {
    node.reply = ({ id, method }, socket) => {
      const error = { code: -32601, message: "notifications not supported" };
      if (method === "eth_subscribe") socket.send(JSON.stringify({ jsonrpc: "2.0", id, error }));
      else socket.send(result(id, "0x1"));
    };
    await open();
    await until(() => expect(states).toEqual(["down eth_subscribe: notifications not supported"]));
    expect(await ask()).toBe('"0x1"');
    passes(240);
    expect(await ask()).toBe('"0x1"');
    expect(node.requests.filter(({ method }) => method === "eth_subscribe")).toHaveLength(1);
    passes(60);
    await asked(2, "eth_subscribe");
    expect(await ask()).toBe('"0x1"');
    node.reply = obey;
    passes(300);
    expect(node.requests.filter(({ method }) => method === "eth_subscribe")).toHaveLength(2);
    passes(300);
    await until(() => expect(states).toHaveLength(2));
    expect(states[1]).toBe("flowing");
    expect(node.handshakes).toHaveLength(1);
  });

  test.each([
    ["never", () => undefined],
    ["with a result that names nothing", ({ id }, socket) => socket.send(result(id, null))],
    ["with what is no answer", ({ id }, socket) => socket.send(`{"jsonrpc":"2.0","id":${id}}`)],
  ] satisfies [string, Reply][])("that are answered %s end the connection", async (_, reply) => {
    node.reply = reply;
    await open();
    await asked(1);
    passes(5050);
    await until(() => expect(states).toEqual(["down WS_NOT_SUBSCRIBED"]));
    node.reply = obey;
    passes(550);
    await until(() => expect(states).toEqual(["down WS_NOT_SUBSCRIBED", "flowing"]));
  });

  test("that are malformed are a fault of the node", async () => {
    await flows();
    const params = { subscription: SUBSCRIPTION, result: { number: "0x1" } };
    node.say(JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params }));
    await until(() => expect(states).toEqual(["flowing", "down WS_BAD_HEAD"]));
    expect(heads).toEqual([]);
  });
});

describe("a connection that breaks", () => {
  test("is opened again after a wait that doubles, up to 8 s", async () => {
    node.server.options.verifyClient = () => {
      tries += 1;
      return false;
    };
    let tries = 0;
    await open();
    for (const wait of [250, 500, 1000, 2000, 4000, 4000]) {
      await until(() => expect(planned()).toEqual([wait]));
      passes(wait + 50);
    }
    await until(() => expect(tries).toBe(7));
    expect(states).toEqual(["down HTTP_401"]);
  });

  test("is not opened at full speed where the node cuts each one that it takes", async () => {
    await flows();
    for (const wait of [250, 500, 1000, 2000]) {
      const before = states.length;
      node.cut();
      await until(() => expect(states).toHaveLength(before + 1));
      expect(states.at(-1)).toBe("down WS_CLOSED_1006");
      expect(planned()).toEqual([wait]);
      passes(wait + 50);
      await until(() => expect(states.at(-1)).toBe("flowing"));
    }
  });

  test("is tried at once after one that lasted", async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      if (turn === 0) await flows();
      passes(8000);
      node.cut();
      await until(() => expect(states.at(-1)).toBe("down WS_CLOSED_1006"));
      passes(300);
      await until(() => expect(states.at(-1)).toBe("flowing"));
    }
  });

  test("ends its calls, and its heads flow again over the next one", async () => {
    node.reply = forCalls(() => undefined);
    await flows();
    const calls = [call(), call()];
    await asked(3);
    node.cut();
    const unreachable = { kind: "unreachable", code: "WS_CLOSED_1006" };
    expect(await Promise.all(calls)).toEqual([unreachable, unreachable]);
    expect(await call()).toEqual({ kind: "unreachable", code: "WS_NOT_OPEN" });
    expect(upstream.isConnected).toBe(false);
    node.reply = obey;
    passes(300);
    await until(() => expect(states).toEqual(["flowing", "down WS_CLOSED_1006", "flowing"]));
    expect(upstream.isConnected).toBe(true);
    notify(3);
    await until(() => expect(numbers()).toEqual([3]));
    expect(await ask()).toBe('"0x1"');
  });

  test("tells the node's close code, not its words", async () => {
    await flows();
    for (const socket of node.server.clients) socket.close(1013, "wss://host/secret-key-1234");
    await until(() => expect(states).toEqual(["flowing", "down WS_CLOSED_1013"]));
  });
});

describe("a silent node", () => {
  test("is pinged every 15 s, and its pongs keep the connection", async () => {
    await flows();
    for (let pings = 1; pings <= 8; pings += 1) {
      passes(15_050);
      const before = looks;
      await until(() => expect(node.pings()).toBe(pings));
      // The pong has come when the clock was looked at.
      await until(() => expect(looks).toBeGreaterThan(before));
    }
    expect(states).toEqual(["flowing"]);
  });

  test("is left after 30 s without pong or data", async () => {
    await node.stop();
    node = await startNode({ autoPong: false });
    await flows();
    passes(15_050);
    await until(() => expect(node.pings()).toBe(1));
    passes(14_900);
    expect(states).toEqual(["flowing"]);
    passes(100);
    expect(states).toEqual(["flowing", "down WS_SILENT"]);
  });

  test("that sends heads but no pongs is not left", async () => {
    await node.stop();
    node = await startNode({ autoPong: false });
    await flows();
    for (let number = 0; number < 6; number += 1) {
      passes(20_000);
      notify(number);
      await until(() => expect(numbers()).toContain(number));
    }
    expect(states).toEqual(["flowing"]);
  });
});

describe("calls over the socket", () => {
  test("are answered in any order, each with its own answer", async () => {
    const waiting: (() => void)[] = [];
    node.reply = forCalls(({ id, text }, socket) => {
      waiting.unshift(() => socket.send(result(id, JSON.parse(text).params[0])));
      if (waiting.length === 50) for (const send of waiting) send();
    });
    await flows();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) => call("eth_getBalance", `[${at}]`)),
    );
    const texts = answers.map((answer) =>
      answer.kind === "result" ? wholeBytes(answer.result).toString() : answer.kind,
    );
    expect(texts).toEqual(Array.from({ length: 50 }, (_, at) => String(at)));
    expect(new Set(node.requests.map(({ id }) => id)).size).toBe(51);
  });

  test("may be answered in binary messages", async () => {
    node.reply = (request, socket) =>
      obey(request, { send: (text: string) => socket.send(Buffer.from(text)) } as WebSocket);
    await flows();
    expect(await ask()).toBe('"0x1"');
  });

  test("end at their deadline; an answer that comes later is passed over", async () => {
    let late: (() => void) | undefined;
    node.reply = forCalls(({ id }, socket) => {
      late = () => socket.send(result(id, "0x9"));
    });
    await flows();
    const answers: UpstreamAnswer[] = [];
    const request = { method: "m", params: "[]", timeoutMs: 1000 };
    upstream.call(request, { answered: (answer) => answers.push(answer) });
    await asked(2);
    passes(990);
    expect(answers).toEqual([]);
    passes(60);
    expect(answers).toEqual([{ kind: "timeout" }]);
    late?.();
    late?.();
    node.reply = obey;
    expect(await ask()).toBe('"0x1"');
    expect(answers).toHaveLength(1);
    expect(states).toEqual(["flowing"]);
  });

  test("that are cancelled are never answered, whatever comes", async () => {
    await flows();
    const answers: UpstreamAnswer[] = [];
    const request = { method: "m", params: "[]", timeoutMs: 1000 };
    upstream.call(request, { answered: (answer) => answers.push(answer) }).cancel();
    expect(await ask()).toBe('"0x1"');
    const inAir = upstream.call(request, { answered: (answer) => answers.push(answer) });
    inAir.cancel();
    inAir.cancel();
    passes(2000);
    await upstream.close();
    upstream.call(request, { answered: (answer) => answers.push(answer) }).cancel();
    await call();
    expect(answers).toEqual([]);
  });

  test("cancelled by the end of another are not told of the broken socket", async () => {
    node.reply = forCalls(() => undefined);
    await flows();
    const told: string[] = [];
    const request = { method: "m", params: "[]", timeoutMs: 1000 };
    upstream.call(request, {
      answered: () => {
        told.push("first");
        second.cancel();
      },
    });
    const second = upstream.call(request, { answered: () => told.push("second") });
    await asked(3);
    node.cut();
    await until(() => expect(told).toEqual(["first"]));
    expect(told).toEqual(["first"]);
  });

  test("are unreachable where the socket is not open, told after the call has returned", async () => {
    let returned = false;
    const answer = await new Promise<[UpstreamAnswer, boolean]>((resolve) => {
      upstream.call(
        { method: "m", params: "[]", timeoutMs: 1000 },
        { answered: (each) => resolve([each, returned]) },
      );
      returned = true;
    });
    expect(answer).toEqual([{ kind: "unreachable", code: "WS_NOT_OPEN" }, true]);
  });

  test("are no longer taken where the node does not read them", async () => {
    node.reply = forCalls((_, socket) => socket.pause());
    await flows();
    const large = `["${"x".repeat(5_000_000)}"]`;
    const calls: Promise<UpstreamAnswer>[] = [];
    let refused = 0;
    while (refused === 0 && calls.length < 100) {
      const answer = call("m", large);
      calls.push(answer);
      void answer.then((each) => {
        if (each.kind === "unreachable") refused += 1;
      });
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(refused).toBe(1);
    expect(await calls.at(-1)).toEqual({ kind: "unreachable", code: "WS_NOT_READ" });
    expect(calls.length).toBeLessThan(40);
  });
});

describe("a message that cannot be", () => {
  const swapped = ({ id }: Asked) => result(id + 1000, "0x1");
  test.each([
    ["no JSON", "WS_GARBAGE", () => "<html>502</html>"],
    ["an empty one", "WS_GARBAGE", () => ""],
    ["a batch", "WS_GARBAGE", ({ id }: Asked) => `[${result(id, 1)}]`],
    ["an id that was never sent", "WS_UNKNOWN_ID", swapped],
    ["the id 0", "WS_UNKNOWN_ID", () => result(0, "0x1")],
    ["a request's text as its id", "WS_GARBAGE", ({ id }: Asked) => `{"id":"${id}","result":1}`],
    ["text that is no UTF-8", "WS_ERR_INVALID_UTF8", () => Buffer.from([0xff, 0xfe])],
  ])("is a fault of the node: %s", async (_, code, frame) => {
    node.reply = forCalls((request, socket) => socket.send(frame(request), { binary: false }));
    await flows();
    expect(await call()).toEqual({ kind: "unreachable", code });
    expect(states).toEqual(["flowing", `down ${code}`]);
    node.reply = obey;
    passes(300);
    await until(() => expect(states.at(-1)).toBe("flowing"));
    expect(await ask()).toBe('"0x1"');
  });

  test("is the id of a call that an earlier connection had", async () => {
    await flows();
    const { id = 0 } = node.requests[0] ?? {};
    node.cut();
    await until(() => expect(states).toHaveLength(2));
    passes(300);
    await until(() => expect(states).toHaveLength(3));
    node.say(result(id, "0x1"));
    await until(() => expect(states.at(-1)).toBe("down WS_UNKNOWN_ID"));
  });

  test("is of its call alone where the id can be read", async () => {
    node.reply = forCalls(({ id }, socket) => socket.send(`{"jsonrpc":"2.0","id":${id},"resu`));
    await flows();
    expect(await call()).toMatchObject({ kind: "garbage", status: 200 });
    expect(states).toEqual(["flowing"]);
  });

  test("does not stop notifications that nobody asked for from being harmless", async () => {
    await flows();
    node.say('{"jsonrpc":"2.0","method":"notice","params":["maintenance"]}');
    expect(await ask()).toBe('"0x1"');
    expect(states).toEqual(["flowing"]);
  });
});

describe("an error without an id", () => {
  const error = { code: -32005, message: "slow down" };
  const anonymous = JSON.stringify({ jsonrpc: "2.0", id: null, error });

  test("is the answer of the only call in the air", async () => {
    node.reply = forCalls((_, socket) => socket.send(anonymous));
    await flows();
    expect(await call()).toEqual({ kind: "error", status: 200, error });
    expect(states).toEqual(["flowing"]);
  });

  test("ends the connection where it may be any call's", async () => {
    node.reply = forCalls(() => undefined);
    await flows();
    const calls = [call(), call()];
    await asked(3);
    node.say(anonymous);
    const unreachable = { kind: "unreachable", code: "WS_NO_ID" };
    expect(await Promise.all(calls)).toEqual([unreachable, unreachable]);
  });
});

describe("an answer's size", () => {
  const sized = (bytes: number): Reply =>
    forCalls(({ id }, socket) => {
      const empty = result(id, "").length;
      socket.send(result(id, "x".repeat(bytes - empty)));
    });

  test("may be maxResponseBytes and not a byte more", async () => {
    node.reply = sized(10_000);
    await flows();
    expect((await call()).kind).toBe("result");
    node.reply = sized(10_001);
    expect(await call()).toEqual({ kind: "too_large" });
    expect(states.at(-1)).toBe("down WS_ERR_UNSUPPORTED_MESSAGE_LENGTH");
  });

  test("beyond it breaks the calls that share the socket", async () => {
    node.reply = forCalls(() => undefined);
    await flows();
    const calls = [call(), call()];
    await asked(3);
    node.say("x".repeat(50_000));
    const code = "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";
    const unreachable = { kind: "unreachable", code };
    expect(await Promise.all(calls)).toEqual([unreachable, unreachable]);
  });
});

describe("secrets of the address", () => {
  const key = "0123456789abcdef0123";

  test("that a node repeats are hidden", async () => {
    node.reply = forCalls(({ id }, socket) => {
      const error = { code: -32000, message: `no access to /v3/${key}` };
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, error }));
    });
    await flows({ url: `${node.url}/v3/${key}` });
    const answer = await call();
    expect(answer).toMatchObject({
      kind: "error",
      error: { message: "no access to /v3/[redacted]" },
    });
    node.reply = ({ id }, socket) => {
      const error = { code: -32000, message: `${key} may not subscribe` };
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, error }));
    };
    await open({ url: `${node.url}/v3/${key}` });
    await until(() => expect(states).toEqual(["down eth_subscribe: [redacted] may not subscribe"]));
  });

  test("are in no reason of a failed connection", async () => {
    const credentials = `user:${key}`;
    await open({ url: `ws://${credentials}@127.0.0.1:${await unusedPort()}/${key}?k=${key}` });
    await until(() => expect(states).toEqual(["down ECONNREFUSED"]));
    await open({ url: `ws://${credentials}@no-such-host.invalid/${key}` });
    await until(() => expect(states[0]).toMatch(/^down E[A-Z_]+$/));
  });
});

describe("closing", () => {
  test("ends calls, tells the node, and connects no more", async () => {
    node.reply = forCalls(() => undefined);
    await flows();
    const codes: number[] = [];
    for (const socket of node.server.clients) socket.on("close", (code) => codes.push(code));
    const inAir = call();
    await asked(2);
    await upstream.close();
    expect(await inAir).toEqual({ kind: "unreachable", code: "WS_NOT_OPEN" });
    expect(states).toEqual(["flowing", "down closed"]);
    await until(() => expect(codes).toEqual([1000]));
    expect(planned()).toEqual([]);
    passes(60_000);
    expect(node.handshakes).toHaveLength(1);
  });

  test("stops a try in the middle, and a wait for the next", async () => {
    await open();
    await upstream.close();
    await open({ url: `ws://127.0.0.1:${await unusedPort()}` });
    await until(() => expect(states).toEqual(["down ECONNREFUSED"]));
    await upstream.close();
    passes(60_000);
    expect(planned()).toEqual([]);
    expect(node.requests).toEqual([]);
  });

  test("and opening by the observer itself is no fault of the new connection", async () => {
    node.reply = () => undefined;
    await open();
    await asked(1);
    react = () => {
      react = () => undefined;
      void upstream.close();
      upstream.open();
    };
    node.reply = obey;
    node.cut();
    await until(() => expect(states).toEqual(["down WS_CLOSED_1006", "flowing"]));
    await connected(2);
  });

  test("is not needed to open what is open or waits: nothing is opened twice", async () => {
    await flows();
    upstream.open();
    node.cut();
    await until(() => expect(states.at(-1)).toBe("down WS_CLOSED_1006"));
    upstream.open();
    passes(300);
    await until(() => expect(states.at(-1)).toBe("flowing"));
    expect(await ask()).toBe('"0x1"');
    expect(node.handshakes).toHaveLength(2);
  });

  test("is not for ever: it can be opened again, once however often it is asked to", async () => {
    await flows();
    await upstream.close();
    upstream.open();
    upstream.open();
    await until(() => expect(states).toEqual(["flowing", "down closed", "flowing"]));
    await connected(2);
    expect(await ask()).toBe('"0x1"');
    expect(node.server.clients.size).toBe(1);
  });
});

async function unusedPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

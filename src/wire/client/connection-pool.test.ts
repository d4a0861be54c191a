import { execFile } from "node:child_process";
import { createServer, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type FaultServer, startFaultServer } from "../../../test/support/fault-server.ts";
import {
  ENDED_BY_CONNECTION,
  MAX_BODY_BYTES,
  RAW_RESPONSES,
  seenHere,
} from "../../../test/support/raw-responses.ts";
import { timed } from "../../../test/support/timed.ts";
import { DEFAULT_WIRE } from "../../config/default-wire.ts";
import { TimerWheel } from "../../lib/timer-wheel.ts";
import { EventLoop } from "../event-loop.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { Dialer } from "./dialer.ts";
import { type Outcome, ToldExchange } from "./exchange.ts";

const OK = "HTTP/1.1 200 OK\r\n";
const said = (body: string, headers = "") =>
  `${OK}${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
const bodyOf = (request: string): string => request.slice(request.indexOf("\r\n\r\n") + 4);
const echo = (socket: Socket, request: string): void => void socket.write(said(bodyOf(request)));

let now: number;
let timers: TimerWheel;
let loop: EventLoop;
let answer: (socket: Socket, request: string) => void;
let server: FaultServer;
let pool: ConnectionPool;

beforeEach(async () => {
  now = 0;
  timers = new TimerWheel(timed({ monotonic: () => now }));
  loop = new EventLoop(DEFAULT_WIRE);
  answer = echo;
  server = await startFaultServer((socket, request) => answer(socket, request));
  pool = new ConnectionPool(new URL(server.url), 1, { timers, loop, onBroken });
});
afterEach(async () => {
  await pool.close();
  await server.stop();
});
const open = async (maxConnections: number, url = server.url): Promise<void> => {
  await pool.close();
  pool = new ConnectionPool(new URL(url), maxConnections, { timers, loop, onBroken });
};

const exchangeOf = (
  body: string,
  done: (outcome: Outcome) => void,
  { timeoutMs = 1000, account = "acct" } = {},
) => {
  const request = `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  return new ToldExchange({ request, maxBytes: MAX_BODY_BYTES, timeoutMs, account }, done);
};
let broken = 0;
const onBroken = () => {
  broken += 1;
};
const send = (body = "hello", timeoutMs = 1000): Promise<Outcome> =>
  new Promise((resolve) => pool.send(exchangeOf(body, resolve, { timeoutMs })));
/**
 * As callers do: again where the connection had ended before the request came. On a busy machine the
 * line would refuse what it could not serve within the usual time.
 */
const sendAgain = async (body: string): Promise<Outcome> => {
  const outcome = await send(body, 60_000);
  return outcome.kind === "unreachable" && outcome.isStale === true ? sendAgain(body) : outcome;
};
const textOf = (outcome: Outcome): string => {
  if (outcome.kind === "response") return outcome.body.toString("latin1");
  return outcome.kind === "unreachable" ? outcome.code : outcome.kind;
};
const ask = async (body?: string): Promise<string> => textOf(await send(body));
const passes = (ms: number): void => {
  now += ms;
  timers.advance();
};
const until = (holds: () => void) => vi.waitFor(holds, { timeout: 5000, interval: 2 });
const asked = (count: number) => until(() => expect(server.requests).toHaveLength(count));
const openSockets = (count: number) => until(() => expect(server.sockets.size).toBe(count));

describe("over a socket", () => {
  const writeBytes = (socket: Socket, bytes: Buffer, ends: boolean): void => {
    if (bytes.length === 0) {
      if (ends) socket.end();
      return;
    }
    socket.write(bytes.subarray(0, 1));
    setImmediate(() => writeBytes(socket, bytes.subarray(1), ends));
  };
  const ways = [...RAW_RESPONSES, ...ENDED_BY_CONNECTION].map((way) => ({
    ...way,
    seen: seenHere(way),
    ends: way.seen === "unfinished" || ENDED_BY_CONNECTION.includes(way),
  }));

  test.each(ways)("$name, at once and byte by byte", async ({ bytes, seen, ends }) => {
    const text = typeof seen === "object" ? seen.body : undefined;
    const codes = { broken: "INVALID_RESPONSE", unfinished: "CONNECTION_CLOSED" };
    if (seen === "waits") {
      answer = (socket) => socket.write(bytes);
      const told = vi.fn();
      const exchange = exchangeOf("hello", told);
      pool.send(exchange);
      await asked(1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      pool.cancel(exchange);
      await openSockets(0);
      expect(told).not.toHaveBeenCalled();
      return;
    }
    const code = seen === "too_large" ? seen : typeof seen === "string" ? codes[seen] : undefined;
    for (const way of bytes.length < 1_000 ? ["bytes", "at once"] : ["at once"]) {
      answer = (socket) => {
        if (way === "bytes") writeBytes(socket, bytes, ends);
        else if (ends) socket.end(bytes);
        else socket.write(bytes);
      };
      expect(await ask()).toBe(text ?? code);
      const before = server.connections;
      const isKept = typeof seen === "object" && seen.persists;
      if (!isKept) await openSockets(0);
      answer = echo;
      expect(await ask("again")).toBe("again");
      expect(server.connections).toBe(isKept ? before : before + 1);
    }
    await openSockets(1);
  });

  test("what was told of a response stays as it is when the next one is read", async () => {
    const first = await send("first");
    expect(await ask("other")).toBe("other");
    expect(textOf(first)).toBe("first");
  });

  test.each([
    ["before the head", ""],
    ["inside the head", OK],
    ["behind the head", `${OK}Content-Length: 5\r\n\r\n`],
    ["inside the body", `${OK}Content-Length: 5\r\n\r\nhel`],
    ["inside a body without a length", `${OK}\r\nhel`],
  ])("a reset %s is told by the system's name", async (_name, bytes) => {
    answer = (socket) => {
      if (bytes === "") socket.resetAndDestroy();
      else socket.write(bytes, () => setTimeout(() => socket.resetAndDestroy(), 5));
    };
    expect(await ask()).toBe("ECONNRESET");
    expect(server.requests).toHaveLength(1);
  });

  test("a node that ends its side behind an answer has answered", async () => {
    answer = (socket, request) => socket.end(said(bodyOf(request)));
    for (const body of ["a", "b", "c"]) expect(textOf(await sendAgain(body))).toBe(body);
    await openSockets(0);
    expect(server.connections).toBe(3);
  });

  test("an answer that comes before the request has gone is one, and ends the connection", async () => {
    const early = await startFaultServer(() => undefined);
    early.server.on("connection", (socket: Socket) => {
      socket.removeAllListeners("data").pause();
      socket.write(said("413"));
    });
    await open(1, early.url);
    expect(await ask("x".repeat(30_000_000))).toBe("413");
    for (const socket of early.sockets) socket.resume();
    await until(() => expect(early.sockets.size).toBe(0));
    await early.stop();
  });
});

describe("a connection that served before and ends without a word", () => {
  const endings: [string, (socket: Socket) => void][] = [
    ["ended", (socket) => socket.end()],
    ["reset", (socket) => socket.resetAndDestroy()],
  ];

  test.each(endings)(
    "%s: the outcome says that it was stale, and the node is told of",
    async (_name, end) => {
      expect(await ask("first")).toBe("first");
      const before = broken;
      answer = (socket) => {
        answer = echo;
        end(socket);
      };
      expect(await send("second")).toMatchObject({ kind: "unreachable", isStale: true });
      expect(broken).toBe(before + 1);
      expect(await ask("third")).toBe("third");
      expect(server.connections).toBe(2);
    },
  );

  test("with a word: it was not stale", async () => {
    await ask("first");
    answer = (socket) => socket.end("H");
    expect(await send("second")).toEqual({ kind: "unreachable", code: "CONNECTION_CLOSED" });
    expect(server.requests).toHaveLength(2);
  });

  test("while it rests: nobody's request fails, and the node is told of", async () => {
    await ask("first");
    const before = broken;
    for (const socket of server.sockets) socket.end();
    await until(() => expect(broken).toBe(before + 1));
    expect(pool.isConnected).toBe(false);
    expect(await ask("second")).toBe("second");
  });

  test("those who wait have their turn on another", async () => {
    await ask("first");
    answer = (socket) => {
      answer = echo;
      socket.end();
    };
    const texts = await Promise.all(
      ["b", "c", "d"].map(async (body) => textOf(await sendAgain(body))),
    );
    expect(texts).toEqual(["b", "c", "d"]);
  });
});

describe("many at once", () => {
  test("each get their own answer, over no more connections than allowed, one at a time", async () => {
    await open(5);
    const busy = new Set<Socket>();
    answer = (socket, request) => {
      expect(busy.has(socket)).toBe(false);
      busy.add(socket);
      const number = Number(bodyOf(request));
      setTimeout(() => {
        busy.delete(socket);
        if (number % 7 === 0) socket.end(said(String(number)));
        else if (number % 11 === 0) socket.write(said(String(number), "Connection: close\r\n"));
        else socket.write(said(String(number)));
      }, number % 5);
      expect(server.sockets.size).toBeLessThanOrEqual(6);
    };
    const numbers = Array.from({ length: 500 }, (_, number) => String(number));
    const texts = numbers.map(async (body) => textOf(await sendAgain(body)));
    expect(await Promise.all(texts)).toEqual(numbers);
    await pool.close();
    await openSockets(0);
  });

  test("wait for their turn, and leave when they are cancelled", async () => {
    answer = () => undefined;
    const told: string[] = [];
    const exchanges = ["a", "b", "c", "d", "e"].map((body) => {
      const exchange = exchangeOf(body, (outcome) => told.push(textOf(outcome)));
      pool.send(exchange);
      return exchange;
    });
    await asked(1);
    const [a, b, , d, e] = exchanges;
    for (const cancelled of [e, b, d]) if (cancelled !== undefined) pool.cancel(cancelled);
    answer = echo;
    if (a !== undefined) pool.cancel(a);
    await until(() => expect(told).toEqual(["c"]));
    expect(server.requests.map(bodyOf)).toEqual(["a", "c"]);
    expect(await ask("f")).toBe("f");
    await openSockets(1);
  });

  test("reach a node that is idle, though all answers before came nearly too late", async () => {
    await open(2);
    const clock = vi.spyOn(loop.clock, "monotonic").mockReturnValue(0);
    try {
      answer = (socket, request) => {
        clock.mockReturnValue(900);
        echo(socket, request);
      };
      expect(await ask("late")).toBe("late");
      for (const socket of server.sockets) socket.end();
      await openSockets(0);
      answer = echo;
      expect(await Promise.all(["soon", "beside it"].map(ask))).toEqual(["soon", "beside it"]);
    } finally {
      clock.mockRestore();
    }
  });

  test("all are told when nobody can be reached", async () => {
    const { url } = server;
    await server.stop();
    await open(2, url);
    expect(await Promise.all(["a", "b", "c", "d"].map(ask))).toEqual(Array(4).fill("ECONNREFUSED"));
    expect(await ask()).toBe("ECONNREFUSED");
  });

  test("that waited in vain are told some in each turn of the event loop, and never where they are cancelled", async () => {
    await pool.close();
    const port = new URL(server.url).port;
    await server.stop();
    await open(8, `http://127.0.0.1:${port}`);
    const outcomes: Outcome[] = [];
    const sizes: number[] = [];
    const exchanges = Array.from({ length: 1000 }, () =>
      exchangeOf("x", (outcome) => outcomes.push(outcome)),
    );
    for (const exchange of exchanges) pool.send(exchange);
    const look = (): void => {
      sizes.push(outcomes.length);
      // The last one fails in one of the last turns.
      if (outcomes.length > 500) pool.cancel(exchanges.at(-1) as ToldExchange);
      if (outcomes.length < 999) setImmediate(look);
    };
    look();
    await until(() => expect(outcomes.length).toBeGreaterThanOrEqual(999));
    const steps = sizes.map((size, at) => size - (sizes[at - 1] ?? 0));
    expect(Math.max(...steps)).toBeLessThanOrEqual(2 * 128);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(outcomes.map(textOf)).toEqual(Array.from({ length: 999 }, () => "ECONNREFUSED"));
    server = await startFaultServer((socket, request) => answer(socket, request));
  });

  test("open no more than 16 connections in a turn of the event loop", async () => {
    await open(100);
    const connect = vi.spyOn(Dialer.prototype, "dial");
    try {
      const all = Array.from({ length: 100 }, (_, each) => send(`${each}`, 60_000));
      expect(connect).toHaveBeenCalledTimes(16);
      await new Promise((resolve) => setImmediate(resolve));
      expect(connect).toHaveBeenCalledTimes(32);
      await Promise.all(all);
    } finally {
      connect.mockRestore();
    }
  });

  test("wait in a line of 8,192 at most, however many connections there are", async () => {
    answer = () => undefined;
    await open(400);
    const refused: Outcome[] = [];
    for (let each = 0; each < 9000; each += 1) {
      pool.send(exchangeOf("x", (outcome) => refused.push(outcome)));
    }
    expect(refused).toHaveLength(9000 - 8192);
    expect(new Set(refused.map(textOf))).toEqual(new Set(["no_place"]));
  });

  describe("of one account that floods a node with 32 places", () => {
    const held = new Map<string, Socket>();
    const sendOf = (account: string, body: string) =>
      pool.send(exchangeOf(body, () => undefined, { timeoutMs: 60_000, account }));
    const answerOf = (body: string) => held.get(body)?.write(said(body));
    beforeEach(async () => {
      held.clear();
      answer = (socket, request) => held.set(bodyOf(request), socket);
      await open(32);
    });

    test("take all where nobody else calls", async () => {
      for (let each = 0; each < 50; each += 1) sendOf("flood", `${each}`);
      await asked(32);
    });

    test("leave two places, which others get at once and which come free again first", async () => {
      sendOf("quiet", "first");
      await asked(1);
      for (let each = 0; each < 50; each += 1) sendOf("flood", `${each}`);
      await asked(30);
      await openSockets(32);
      sendOf("quiet", "second");
      sendOf("quiet", "third");
      await asked(32);
      // Two connections: the node may read either first.
      expect([...held.keys()].slice(-2).sort()).toEqual(["second", "third"]);
      sendOf("quiet", "fourth");
      answerOf("0");
      await until(() => expect([...held.keys()].at(-1)).toBe("fourth"));
      for (const body of ["1", "2"]) answerOf(body);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(held.size).toBe(33);
      answerOf("3");
      await until(() => expect([...held.keys()].at(-1)).toBe("29"));
      await openSockets(32);
    });

    test("leave them to nobody's connections that the node would end: these take turns", async () => {
      sendOf("quiet", "first");
      await asked(1);
      for (let each = 0; each < 50; each += 1) sendOf("flood", `${each}`);
      await asked(30);
      const used = new Set(held.values());
      for (const body of ["0", "1", "2"]) answerOf(body);
      await until(() => expect(held.size).toBe(33));
      expect(used.has(held.get("29") as Socket)).toBe(false);
      expect(used.has(held.get("30") as Socket)).toBe(false);
    });

    test("take the spare places a minute after the last of the others", async () => {
      sendOf("quiet", "first");
      await asked(1);
      for (let each = 0; each < 50; each += 1) sendOf("flood", `${each}`);
      await asked(30);
      await openSockets(32);
      const later = vi.spyOn(loop.clock, "monotonic").mockReturnValue(performance.now() + 60_001);
      try {
        sendOf("flood", "later");
        await asked(31);
      } finally {
        later.mockRestore();
      }
    });
  });

  test("take the connection that rests the shortest", async () => {
    await open(3);
    await Promise.all(["a", "b", "c"].map(ask));
    const used = new Set<Socket>();
    answer = (socket, request) => {
      used.add(socket);
      echo(socket, request);
    };
    for (let turn = 0; turn < 5; turn += 1) await ask();
    expect(server.connections).toBe(3);
    expect(used.size).toBe(1);
  });
});

describe("the event loop stays awake for a node that answers soon", () => {
  let clockMs = 0;
  let awaited = 0;
  beforeEach(async () => {
    clockMs = 1000;
    awaited = 0;
    vi.spyOn(loop.clock, "monotonic").mockImplementation(() => clockMs);
    vi.spyOn(loop.busyPoll, "began").mockImplementation(() => {
      awaited += 1;
    });
    vi.spyOn(loop.busyPoll, "ended").mockImplementation(() => {
      awaited -= 1;
    });
    await open(1);
    await answerAfter(0.1, 10);
    vi.mocked(loop.busyPoll.began).mockClear();
  });
  afterEach(() => {
    expect(awaited).toBe(0);
    vi.restoreAllMocks();
  });
  const answerAfter = async (tookMs: number, times: number): Promise<void> => {
    answer = (socket, request) => {
      clockMs += tookMs;
      echo(socket, request);
    };
    for (let n = 0; n < times; n += 1) expect(await ask()).toBe("hello");
  };

  test("from its request to the first bytes of its answer", async () => {
    let atNode: number | undefined;
    let finish = (): void => undefined;
    answer = (socket) => {
      atNode = awaited;
      socket.write(`${OK}Content-Length: 5\r\n\r\nhe`);
      finish = () => void socket.write("llo");
    };
    const asking = ask();
    await until(() => expect([atNode, awaited]).toEqual([1, 0]));
    finish();
    expect(await asking).toBe("hello");
    expect(loop.busyPoll.began).toHaveBeenCalledTimes(1);
  });

  test("and sleeps when its answers take longer, until they come soon again", async () => {
    await answerAfter(1, 20);
    vi.mocked(loop.busyPoll.began).mockClear();
    await answerAfter(1, 20);
    expect(loop.busyPoll.began).not.toHaveBeenCalled();
    await answerAfter(0.1, 20);
    expect(loop.busyPoll.began).toHaveBeenCalled();
  });

  test("no longer than its call is in the air: cancelled, broken or closed", async () => {
    const reached = async (count: number) => {
      await asked(count);
      expect(awaited).toBe(1);
    };
    answer = () => undefined;
    const told: Outcome[] = [];
    const exchange = exchangeOf("x", (outcome) => told.push(outcome));
    pool.send(exchange);
    await reached(11);
    pool.cancel(exchange);
    expect([awaited, told]).toEqual([0, []]);

    let end = (): void => undefined;
    answer = (socket) => {
      end = () => void socket.destroy();
    };
    const broken = ask();
    await reached(12);
    end();
    expect(await broken).toBe("CONNECTION_CLOSED");
    expect(awaited).toBe(0);

    answer = () => undefined;
    const closed = ask();
    await reached(13);
    await pool.close();
    expect([awaited, await closed]).toEqual([0, "CLIENT_CLOSED"]);
  });
});

describe("a connection that rests", () => {
  const rests = (ms: number): void => {
    for (let passed = 0; passed < ms; passed += 20) passes(20);
  };

  test.each([
    ["", 2_500, 4_000],
    ["Keep-Alive: timeout=10\r\n", 8_000, 9_000],
    ["Keep-Alive: max=100, timeout=3\r\n", 1_000, 2_000],
  ])("is closed before the node would (%j)", async (headers, open, closed) => {
    answer = (socket, request) => void socket.write(said(bodyOf(request), headers));
    await ask();
    rests(open);
    await ask();
    expect(server.connections).toBe(1);
    rests(closed);
    await openSockets(0);
    await ask();
    expect(server.connections).toBe(2);
  });

  test("where the node keeps it for a second only is closed at once", async () => {
    answer = (socket, request) =>
      void socket.write(said(bodyOf(request), "Keep-Alive: timeout=1\r\n"));
    await ask();
    await openSockets(0);
  });

  test("and is ended by the node, or told something, is not used again", async () => {
    for (const spoil of [
      (socket: Socket) => void socket.end(),
      (socket: Socket) => void socket.write(said("unasked")),
    ]) {
      await ask();
      for (const socket of server.sockets) spoil(socket);
      await openSockets(0);
      expect(await ask("b")).toBe("b");
    }
    expect(server.requests).toHaveLength(4);
  });

  test("holds no process, until it carries an exchange again", async () => {
    answer = (socket, request) => void setTimeout(() => echo(socket, request), 200);
    const wheel = "../../lib/timer-wheel.ts";
    const files = ["connection-pool.ts", "exchange.ts", wheel, "../event-loop.ts"];
    const [poolFile, exchangeFile, wheelFile, loopFile] = files.map(
      (file) => new URL(file, import.meta.url),
    );
    const script = `
      const { ConnectionPool } = await import("${poolFile}");
      const { ToldExchange } = await import("${exchangeFile}");
      const { TimerWheel } = await import("${wheelFile}");
      const { EventLoop } = await import("${loopFile}");
      const timers = new TimerWheel({ monotonic: () => performance.now(), every: (ms, run) => { const timer = setInterval(run, ms).unref(); return () => clearInterval(timer); } });
      const pool = new ConnectionPool(new URL("${server.url}"), 1, { timers, loop: new EventLoop("${DEFAULT_WIRE}"), onBroken: () => {} });
      const request = "POST / HTTP/1.1\\r\\nhost: x\\r\\ncontent-length: 2\\r\\n\\r\\nhi";
      const options = { request, maxBytes: 9, timeoutMs: 9000 };
      const send = (done) => pool.send(new ToldExchange(options, ({ kind }) => done(console.log(kind))));
      let answeredMs = 0;
      const note = () => { answeredMs = performance.now(); };
      process.on("exit", () => console.log(performance.now() - answeredMs < 3000));
      send(() => setImmediate(send, note));
    `;
    const told = await new Promise((resolve, reject) =>
      execFile(process.execPath, ["--input-type=module", "-e", script], (error, stdout) =>
        error === null ? resolve(stdout) : reject(error),
      ),
    );
    expect(told).toBe("response\nresponse\ntrue\n");
  });
});

describe("connecting", () => {
  /** Accepts and says nothing, so that TLS is never there. */
  let silent: FaultServer;
  beforeEach(async () => {
    silent = await startFaultServer(() => undefined, createServer());
    await open(2, silent.url.replace("http:", "https:"));
  });
  afterEach(() => silent.stop());
  const attempts = (count: number) => until(() => expect(silent.sockets.size).toBe(count));

  test("lasts no longer than the exchange that it was begun for", async () => {
    const told: string[] = [];
    const exchange = exchangeOf("a", (outcome) => told.push(textOf(outcome)), { timeoutMs: 500 });
    pool.send(exchange);
    await attempts(1);
    pool.cancel(exchange);
    passes(600);
    await attempts(0);
    expect(silent.connections).toBe(1);
    expect(told).toEqual([]);
  });

  test("is begun anew for those who still wait, and not more often than they are", async () => {
    const told: string[] = [];
    const [first, ...others] = [500, 5_000, 5_000, 5_000].map((timeoutMs) => {
      const exchange = exchangeOf("a", (outcome) => told.push(textOf(outcome)), { timeoutMs });
      pool.send(exchange);
      return exchange;
    });
    await attempts(2);
    if (first !== undefined) pool.cancel(first);
    passes(600);
    await until(() => expect(silent.connections).toBe(4));
    expect(told).toEqual([]);
    for (const exchange of others) pool.cancel(exchange);
    passes(6_000);
    await attempts(0);
    expect(silent.connections).toBe(4);
  });
});

test("closing tells all, ends all sockets, and later exchanges are told, too", async () => {
  await open(2);
  await ask();
  answer = () => undefined;
  const told = ["a", "b", "c", "d"].map(ask);
  await asked(3);
  await pool.close();
  expect(await Promise.all(told)).toEqual(Array(4).fill("CLIENT_CLOSED"));
  expect(await ask()).toBe("CLIENT_CLOSED");
  await openSockets(0);
  await pool.close();
});

import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { plentyOfMemory } from "../../../test/support/holding.ts";
import { openRaw, type RawConnection, readAnswers } from "../../../test/support/raw-connection.ts";
import { timed } from "../../../test/support/timed.ts";
import { FAULT_ANSWERS } from "../../gateway/fronts/last-answers.ts";
import { EventLoop } from "../event-loop.ts";
import type { Exchange } from "./exchange.ts";
import { PlainWire } from "./plain-wire.ts";

const LIMITS = { headersMs: 10_000, bodyMs: 30_000, stalledMs: 200, idleMs: 66_000 };

let server: Server;
let wire: PlainWire;
let nowMs: number;
/** Requests that came by this wire and have no answer yet. */
let begun: Exchange[];
let open: RawConnection[];
let sockets: Set<Socket>;

beforeEach(async () => {
  nowMs = 1_000_000;
  begun = [];
  open = [];
  sockets = new Set();
  server = createServer((request, response) => {
    request.resume();
    request.on("end", () => response.end("node:http"));
  });
  const clock = timed({ now: () => nowMs, monotonic: () => nowMs });
  const opened = (socket: Socket) => void sockets.add(socket);
  const begin = (exchange: Exchange) => void begun.push(exchange);
  wire = new PlainWire(
    server,
    { limits: LIMITS, keepAliveMs: 65_000 },
    {
      begin,
      opened,
      clock,
      memory: plentyOfMemory(),
      loop: new EventLoop("plain"),
      faults: FAULT_ANSWERS,
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  wire.stop();
  wire.close();
  for (const socket of [...open.map(({ socket }) => socket), ...sockets]) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

const connection = async (...parts: string[]): Promise<RawConnection> => {
  const raw = await openRaw((server.address() as AddressInfo).port);
  open.push(raw);
  for (const part of parts) {
    raw.send(part);
    await aMoment();
  }
  return raw;
};
/** Long enough for what was sent to have arrived alone. */
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 15));
const post = (body: string, ...more: string[]): string =>
  `${["POST /a HTTP/1.1", "Host: a", `Content-Length: ${body.length}`, ...more].join("\r\n")}\r\n\r\n${body}`;

const begunWith = (count: number) =>
  vi.waitFor(
    () => {
      expect(begun).toHaveLength(count);
      return begun[count - 1] as Exchange;
    },
    { interval: 2, timeout: 5000 },
  );
const receives = ({ received }: RawConnection, text: string | RegExp) =>
  vi.waitFor(() => expect(received()).toMatch(text), { interval: 2, timeout: 5000 });
const echo = (exchange: Exchange): void =>
  exchange.readBody((each, body) => {
    const text = String(body);
    each.answer(200, `Content-Length: ${text.length}\r\n`, text === "" ? [] : [text]);
  });
/** Moves the clock on, as the wire's own timer would notice it. */
const pass = (ms: number): void => {
  nowMs += ms;
  wire.sweep();
};

describe("a plain request", () => {
  test("is answered here, with the lines that node:http would add", async () => {
    nowMs = Date.UTC(2026, 10, 21, 12, 0, 0, 999);
    const raw = await connection(post("hello"));
    echo(await begunWith(1));
    await receives(raw, /hello$/);
    expect(raw.received()).toBe(
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=65\r\n\r\nhello",
    );
  });

  test("may come in pieces from the end of its head on", async () => {
    const raw = await connection(post("hello").slice(0, -5));
    echo(await begunWith(1));
    for (const piece of "hello") {
      raw.send(piece);
      await aMoment();
    }
    await receives(raw, /hello$/);
  });

  test("is answered before the next one is looked at", async () => {
    const raw = await connection(post("one") + post("two"), post("three"));
    const first = await begunWith(1);
    await aMoment();
    expect(begun).toHaveLength(1);
    echo(first);
    echo(await begunWith(2));
    echo(await begunWith(3));
    await receives(raw, /three$/);
    expect(readAnswers(raw.received()).map(({ body }) => body)).toEqual(["one", "two", "three"]);
  });

  test("has the body that was sent, whatever others send before it is asked for", async () => {
    const [whole, part, next] = [post("hello"), post("hello").slice(0, -3), post("one")];
    const raws = [await connection(whole), await connection(part), await connection(next + next)];
    await begunWith(3);
    const other = await connection(post("x".repeat(5000)));
    await begunWith(4);
    for (const exchange of [...begun]) echo(exchange);
    raws[1]?.send("l");
    await aMoment();
    other.send(post("y".repeat(5000)));
    await begunWith(6);
    raws[1]?.send("lo");
    for (const exchange of begun.slice(4)) echo(exchange);
    for (const [index, text] of ["hello", "hello", "one"].entries()) {
      await receives(raws[index] as RawConnection, new RegExp(`\n${text}$`));
    }
  });

  test("that is refused before its body came does not end the connection", async () => {
    const raw = await connection(post("hello").slice(0, -3));
    (await begunWith(1)).answer(401, "Content-Length: 2\r\n", ["no"]);
    await receives(raw, /no$/);
    raw.send(`llo${post("two")}`);
    echo(await begunWith(2));
    await receives(raw, /two$/);
    expect(readAnswers(raw.received()).map(({ status }) => status)).toEqual([401, 200]);
  });

  test("of a client that sends no more is answered, then the connection ends", async () => {
    const raw = await connection();
    raw.socket.end(post("hello"));
    const exchange = await begunWith(1);
    await aMoment();
    echo(exchange);
    const [answer] = readAnswers(await raw.closed);
    expect(answer).toMatchObject({ status: 200, body: "hello" });
    expect(answer?.head).toContain("Connection: close");
  });

  test("whose client is gone may be answered all the same", async () => {
    const raw = await connection(post("hello"));
    const exchange = await begunWith(1);
    raw.socket.resetAndDestroy();
    await vi.waitFor(async () => expect(await connections()).toBe(0));
    expect(() => echo(exchange)).not.toThrow();
  });
});

const connections = () =>
  new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));

describe("node:http takes over, with all bytes,", () => {
  test.each([
    ["a head in pieces", ["POST / HT", "TP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n", "x"]],
    ["chunks", [`${post("").replace("Content-Length: 0", "Transfer-Encoding: chunked")}0\r\n\r\n`]],
    ["another method", ["GET / HTTP/1.1\r\nHost: a\r\n\r\n"]],
    [
      "a body whose first part came with the head",
      [post("hello", "TE: trailers").slice(0, -2), "lo"],
    ],
  ])("of %s", async (_name, parts) => {
    const raw = await connection(...parts);
    await receives(raw, /node:http$/);
    expect(begun).toHaveLength(0);
  });

  test("after plain requests, and keeps the connection", async () => {
    const raw = await connection(post("one") + post("", "TE: trailers") + post("two"));
    echo(await begunWith(1));
    await receives(raw, /node:http[\s\S]*node:http$/);
    raw.send(post("three"));
    await receives(raw, /node:http[\s\S]*node:http[\s\S]*node:http$/);
    expect(begun).toHaveLength(1);
  });

  test("only once the answer before is given, though the client sends no more", async () => {
    const raw = await connection(post("one"));
    const exchange = await begunWith(1);
    raw.socket.end(post("", "TE: trailers"));
    await aMoment();
    echo(exchange);
    expect(readAnswers(await raw.closed)[0]?.body).toBe("one");
  });
});

test("a large body that node:http takes over is read a part in each turn of the event loop", async () => {
  const sizeBytes = 8_000_000;
  let [received, ofTurn, most] = [0, 0, 0];
  server.prependListener("request", (request: IncomingMessage) => {
    const endTurn = () => {
      most = Math.max(most, ofTurn);
      ofTurn = 0;
      if (!request.complete) setImmediate(endTurn);
    };
    endTurn();
    request.on("data", ({ length }: Buffer) => {
      received += length;
      ofTurn += length;
    });
  });
  const raw = await connection();
  const head = `POST / HTTP/1.1\r\nHost: a\r\nTE: trailers\r\nContent-Length: ${sizeBytes}\r\n\r\n`;
  raw.send(head + " ".repeat(sizeBytes));
  await receives(raw, /node:http$/);
  expect(received).toBe(sizeBytes);
  expect(most).toBeLessThanOrEqual((256 + 64) * 1024);
});

describe("a limit, no earlier and not much later:", () => {
  const ends = async (raw: RawConnection, afterMs: number): Promise<number[]> => {
    pass(afterMs - 1);
    await aMoment();
    expect(raw.socket.closed).toBe(false);
    pass(501);
    return readAnswers(await raw.closed).map(({ status }) => status);
  };

  test("408 for who says nothing", async () => {
    const raw = await connection();
    await vi.waitFor(async () => expect(await connections()).toBe(1));
    expect(await ends(raw, LIMITS.headersMs)).toEqual([408]);
  });

  test("408 for a body that does not come to its end, though it goes on", async () => {
    const raw = await connection(post("hello").slice(0, -3));
    const exchange = await begunWith(1);
    exchange.readBody(() => expect.unreachable());
    pass(20_000);
    raw.send("l");
    await aMoment();
    expect(await ends(raw, LIMITS.bodyMs - 20_000)).toEqual([408]);
  });

  test("the end for one that was refused and goes on with its body", async () => {
    const raw = await connection(post("hello").slice(0, -3));
    (await begunWith(1)).answer(401, "Content-Length: 0\r\n", []);
    await receives(raw, /401/);
    expect(await ends(raw, LIMITS.bodyMs)).toEqual([401]);
  });

  test("the end between two requests, and none while a call is in the air", async () => {
    const raw = await connection(post("hello"));
    const exchange = await begunWith(1);
    pass(10 * LIMITS.idleMs);
    echo(exchange);
    await receives(raw, /hello$/);
    expect(await ends(raw, LIMITS.idleMs)).toEqual([200]);
  });

  test("400 for a client that ends in the middle of a body", async () => {
    const raw = await connection();
    raw.socket.end(post("hello").slice(0, -3));
    (await begunWith(1)).readBody(() => expect.unreachable());
    expect(readAnswers(await raw.closed).map(({ status }) => status)).toEqual([400]);
  });

  test("the end for who reads nothing of a large answer, and not for who reads slowly", async () => {
    const large = Buffer.alloc(30_000_000, "x");
    const answer = (exchange: Exchange) =>
      exchange.answer(200, `Content-Length: ${large.length}\r\n`, ["[", large.subarray(2), "]"]);
    const stalled = await connection(post(""));
    stalled.socket.pause();
    answer(await begunWith(1));
    await vi.waitFor(async () => expect(await connections()).toBe(0), { timeout: 5000 });

    const slow = await connection();
    let receivedBytes = 0;
    slow.socket.on("data", ({ length }: Buffer) => {
      receivedBytes += length;
      slow.socket.pause();
      setTimeout(() => slow.socket.resume(), 1);
    });
    slow.send(post("") + post("next"));
    answer(await begunWith(2));
    echo(await vi.waitFor(() => begunWith(3), { timeout: 20_000 }));
    await vi.waitFor(() => expect(receivedBytes).toBeGreaterThan(large.length + 200), 20_000);
  });
});

describe("what a client sends is not read", () => {
  const unread = async (raw: RawConnection): Promise<void> => {
    const chunk = Buffer.alloc(1024 * 1024);
    for (let turn = 0; turn < 40; turn += 1) raw.socket.write(chunk);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(raw.socket.writableLength).toBeGreaterThan(20_000_000);
  };

  test("as long as nobody wants its body", async () => {
    const raw = await connection(`${post("").replace(": 0", ": 5000000")}x`);
    await begunWith(1);
    await unread(raw);
  });

  test("as long as its last request has no answer", async () => {
    const raw = await connection(post("hello"));
    await begunWith(1);
    await unread(raw);
  });
});

test("a stop ends what is idle, and lets what is in the air finish as the last answer", async () => {
  const [idle, used, busy] = [await connection(), await connection(post("")), await connection()];
  echo(await begunWith(1));
  await receives(used, /200/);
  busy.send(post("hello") + post("two"));
  const exchange = await begunWith(2);
  wire.stop();
  expect(await idle.closed).toBe("");
  await used.closed;
  echo(exchange);
  const answers = readAnswers(await busy.closed);
  expect(answers.map(({ body }) => body)).toEqual(["hello"]);
  expect(answers[0]?.head).toContain("Connection: close");
});

test("a stop ends a connection once nothing is owed on it any more", async () => {
  const refused = await connection(post("hello").slice(0, -3));
  (await begunWith(1)).answer(401, "Content-Length: 0\r\n", []);
  await receives(refused, /401/);
  const large = await connection();
  large.socket.pause();
  large.send(post(""));
  const bytes = Buffer.alloc(30_000_000, "x");
  (await begunWith(2)).answer(200, `Content-Length: ${bytes.length}\r\n`, [bytes]);
  wire.stop();
  refused.send("llo");
  await refused.closed;
  large.socket.resume();
  expect((await large.closed).length).toBeGreaterThan(bytes.length);
});

import { EventEmitter } from "node:events";
import type { Duplex } from "node:stream";
import { beforeEach, describe, expect, test } from "vitest";
import type { WebSocket } from "ws";
import { DEFAULT_WIRE } from "../../src/config/default-wire.ts";
import type { Call, Session } from "../../src/gateway/call.ts";
import { CLOSE } from "../../src/gateway/fronts/close-codes.ts";
import { WebSocketConnection } from "../../src/gateway/fronts/websocket-connection.ts";
import type { Pipeline } from "../../src/gateway/pipeline.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";
import { EventLoop } from "../../src/wire/event-loop.ts";
import { plentyOfMemory } from "../support/holding.ts";
import { timed } from "../support/timed.ts";

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const FULL = 1024 * 1024;

/** As much of ws's WebSocket as a connection uses; what it is told is written down. */
class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  isPaused = false;
  readonly told: string[] = [];

  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  ping(): void {
    this.told.push("ping");
  }
  terminate(): void {
    this.told.push("terminate");
  }
  close(code: number): void {
    if (this.readyState !== this.OPEN) return;
    this.readyState = 2;
    this.told.push(`close ${code}`);
  }
}

/** What the frames of answers are written to. */
class FakeWire extends EventEmitter {
  /** What is in the frames, which all are small. */
  readonly sent: string[] = [];

  write(frame: string): boolean {
    this.sent.push(frame.slice(2));
    return true;
  }
}

let now: number;
let socket: FakeSocket;
let wire: FakeWire;
let connection: WebSocketConnection;
/** The calls that wait for a node. */
let inAir: { call: Call; done: (call: Call) => void }[];

const MAX_CALLS_IN_AIR = 2;

const ignore = () => undefined;

beforeEach(() => {
  now = 5000;
  socket = new FakeSocket();
  wire = new FakeWire();
  inAir = [];
  const run: Pipeline["run"] = (call, done) => void inAir.push({ call, done });
  connection = new WebSocketConnection(
    { socket: socket as unknown as WebSocket, wire: wire as unknown as Duplex },
    { session: { identity: { accountId: "acct" } } as Session, maxCallsInAir: MAX_CALLS_IN_AIR },
    {
      memory: plentyOfMemory(),
      pipeline: { run, takeMessage: ignore, countRefusal: ignore } as unknown as Pipeline,
      traffic: new Metrics().traffic("websocket"),
      clock: timed({ now: () => now, monotonic: () => now }),
      loop: new EventLoop(DEFAULT_WIRE),
    },
  );
});

const receive = (id: number): boolean =>
  socket.emit("message", Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"m"}`));
/** Answers the oldest call that waits. */
const answer = (): void => {
  const { call, done } = inAir.shift() ?? {};
  if (call === undefined || done === undefined) throw new Error("no call waits");
  call.result = ["1"];
  done(call);
};
const sweepAfter = (ms: number): void => {
  now += ms;
  connection.sweep();
};

describe("pings", () => {
  test("go out every 30 s, as long as each is answered", () => {
    sweepAfter(30 * SECOND - 1);
    expect(socket.told).toEqual([]);
    sweepAfter(1);
    expect(socket.told).toEqual(["ping"]);
    for (let round = 2; round < 5; round += 1) {
      socket.emit("pong", Buffer.alloc(0));
      sweepAfter(29 * SECOND);
      sweepAfter(SECOND);
      expect(socket.told).toEqual(Array(round).fill("ping"));
    }
  });

  test("without an answer end the connection when the next is due", () => {
    sweepAfter(30 * SECOND);
    sweepAfter(29 * SECOND);
    expect(socket.told).toEqual(["ping"]);
    sweepAfter(SECOND);
    expect(socket.told).toEqual(["ping", "terminate"]);
  });

  test("are not missed while the gateway itself does not read", () => {
    for (let id = 0; id < MAX_CALLS_IN_AIR; id += 1) receive(id);
    expect(socket.isPaused).toBe(true);
    sweepAfter(30 * SECOND);
    sweepAfter(30 * SECOND);
    expect(socket.told).toEqual(["ping", "ping"]);
  });
});

describe("idleness", () => {
  const pass = (ms: number): void => {
    for (let passed = 0; passed < ms; passed += 30 * SECOND) {
      socket.emit("pong", Buffer.alloc(0));
      sweepAfter(30 * SECOND);
    }
  };
  const closes = () => socket.told.filter((each) => each !== "ping");

  test("of an hour closes, whatever pongs come", () => {
    pass(HOUR - 30 * SECOND);
    expect(closes()).toEqual([]);
    pass(30 * SECOND);
    expect(closes()).toEqual([`close ${CLOSE.idle.code}`]);
  });

  test.each([
    ["a message", () => receive(1)],
    ["a ping of the client", () => socket.emit("ping", Buffer.alloc(0))],
  ])("ends with %s", (_name, act) => {
    pass(HOUR - 30 * SECOND);
    act();
    pass(HOUR - 30 * SECOND);
    expect(closes()).toEqual([]);
    pass(30 * SECOND);
    expect(closes()).toEqual(["close 1000"]);
  });
});

describe("a reader that stalls", () => {
  test("is closed with 1013 when nothing was taken for 20 s", () => {
    socket.bufferedAmount = 10;
    sweepAfter(5 * SECOND);
    sweepAfter(14 * SECOND);
    expect(socket.told).toEqual([]);
    sweepAfter(6 * SECOND);
    expect(socket.told).toEqual(["close 1013"]);
  });

  test("is kept while it takes something now and then", () => {
    for (let left = 10; left > 0; left -= 1) {
      socket.bufferedAmount = left;
      socket.emit("pong", Buffer.alloc(0));
      sweepAfter(19 * SECOND);
    }
    expect(socket.told.filter((each) => each !== "ping")).toEqual([]);
  });

  test("is not read while 1 MiB waits, and again when it has gone", () => {
    receive(1);
    socket.bufferedAmount = FULL - 1;
    answer();
    socket.bufferedAmount = FULL;
    receive(2);
    expect(socket.isPaused).toBe(true);
    expect(inAir).toEqual([]);
    socket.bufferedAmount = 0;
    wire.emit("drain");
    expect(socket.isPaused).toBe(false);
    expect(inAir).toHaveLength(1);
  });

  test("is closed with 1013 at an answer above 32 MiB of unsent ones", () => {
    receive(1);
    receive(2);
    socket.bufferedAmount = 32 * FULL;
    answer();
    expect(wire.sent).toHaveLength(1);
    socket.bufferedAmount += 1;
    answer();
    expect(wire.sent).toHaveLength(1);
    expect(socket.told).toEqual(["close 1013"]);
  });
});

describe("calls in the air", () => {
  test("at their limit stop the reading; each answer lets one more in", () => {
    for (let id = 1; id <= 4; id += 1) receive(id);
    expect(inAir.map(({ call }) => call.id)).toEqual(["1", "2"]);
    expect(socket.isPaused).toBe(true);
    answer();
    expect(inAir.map(({ call }) => call.id)).toEqual(["2", "3"]);
    expect(socket.isPaused).toBe(true);
    for (let left = 3; left > 0; left -= 1) answer();
    expect(socket.isPaused).toBe(false);
    expect(wire.sent.map((each) => JSON.parse(each).id)).toEqual([1, 2, 3, 4]);
  });

  test("finish at a stop, then the socket closes with 1001; what waits unread is dropped", () => {
    for (let id = 1; id <= 3; id += 1) receive(id);
    connection.finish(CLOSE.goingAway);
    receive(4);
    expect(socket.told).toEqual([]);
    answer();
    expect(socket.told).toEqual([]);
    answer();
    expect(inAir).toEqual([]);
    expect(wire.sent).toHaveLength(2);
    expect(socket.told).toEqual(["close 1001"]);
  });

  test("without any, a stop closes at once", () => {
    connection.finish(CLOSE.goingAway);
    expect(socket.told).toEqual(["close 1001"]);
  });

  test("that end after the close are not sent", () => {
    receive(1);
    connection.close(CLOSE.keyEnded);
    answer();
    expect(socket.told[0]).toBe("close 4401");
    expect(wire.sent).toEqual([]);
  });
});

import * as tls from "node:tls";
import { createServer, type Server, type TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createAuthority } from "../../../test/support/certificates.ts";
import { type FaultServer, startFaultServer } from "../../../test/support/fault-server.ts";
import {
  ENDED_BY_CONNECTION,
  MAX_BODY_BYTES,
  RAW_RESPONSES,
  seenHere,
} from "../../../test/support/raw-responses.ts";
import { DEFAULT_WIRE } from "../../config/default-wire.ts";
import { systemClock } from "../../lib/clock.ts";
import { TimerWheel } from "../../lib/timer-wheel.ts";
import { EventLoop } from "../event-loop.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { type Outcome, ToldExchange } from "./exchange.ts";

const authority = createAuthority();
const stranger = createAuthority("Somebody else");
const trusted = tls.getCACertificates("default");
const pair = authority.issue();

let reply: Buffer;
let ends: boolean;
let node: FaultServer;
let pool: ConnectionPool;
const names: (string | false | null)[] = [];
const protocols: (string | false | null)[] = [];
const resumed: boolean[] = [];

beforeAll(() => tls.setDefaultCACertificates([...trusted, authority.cert]));
afterAll(() => tls.setDefaultCACertificates(trusted));
beforeEach(async () => {
  ends = false;
  reply = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
  for (const list of [names, protocols, resumed]) list.length = 0;
  node = await start(createServer({ ...pair, ALPNProtocols: ["h2", "http/1.1"] }));
  pool = poolOf(node.url.replace("127.0.0.1", "localhost"));
});
afterEach(async () => {
  await pool.close();
  await node.stop();
});

async function start(server: Server): Promise<FaultServer> {
  server.on("secureConnection", (socket: TLSSocket) => {
    names.push(socket.servername);
    protocols.push(socket.alpnProtocol);
    resumed.push(socket.isSessionReused());
  });
  server.on("tlsClientError", () => undefined);
  return await startFaultServer((socket) => {
    if (ends) socket.end(reply);
    else socket.write(reply);
  }, server);
}
const poolOf = (url: string) =>
  new ConnectionPool(new URL(url), 4, {
    timers: new TimerWheel(systemClock),
    loop: new EventLoop(DEFAULT_WIRE),
    onBroken: () => undefined,
  });
const send = (): Promise<Outcome> =>
  new Promise((resolve) => {
    const request = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nhi";
    pool.send(new ToldExchange({ request, maxBytes: MAX_BODY_BYTES, timeoutMs: 5000 }, resolve));
  });
const ask = async (): Promise<string> => {
  const outcome = await send();
  if (outcome.kind === "response") return outcome.body.toString("latin1");
  return outcome.kind === "unreachable" ? outcome.code : outcome.kind;
};

test("the name is sent, only HTTP/1.1 offered, and connections are kept", async () => {
  for (let turn = 0; turn < 3; turn += 1) expect(await ask()).toBe("hi");
  expect(node.connections).toBe(1);
  expect([names, protocols]).toEqual([["localhost"], ["http/1.1"]]);
});

test("an address is no name, and may stand in the certificate", async () => {
  await pool.close();
  pool = poolOf(node.url);
  expect(await ask()).toBe("hi");
  expect(names).toEqual([false]);
});

test("later connections resume the session of the first", async () => {
  ends = true;
  reply = Buffer.from("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi");
  for (let turn = 0; turn < 3; turn += 1) expect(await ask()).toBe("hi");
  expect(resumed).toEqual([false, true, true]);
});

const whole = RAW_RESPONSES.filter((way) => typeof seenHere(way) === "object");
test.each([...whole, ...ENDED_BY_CONNECTION])("$name", async (way) => {
  const { bytes } = way;
  const seen = seenHere(way);
  reply = bytes;
  ends = !whole.some((each) => each.bytes === bytes);
  const body = typeof seen === "object" ? seen.body : undefined;
  const answers = await Promise.all([ask(), ask(), ask()]);
  expect(answers).toEqual([body, body, body]);
});

test("a node whose certificate nobody trusted has signed is unreachable, and gets no request", async () => {
  const wrong = await start(createServer(stranger.issue()));
  await pool.close();
  pool = poolOf(wrong.url);
  expect(await ask()).toBe("UNABLE_TO_VERIFY_LEAF_SIGNATURE");
  expect(wrong.requests).toEqual([]);
  await wrong.stop();
});

test("a node whose certificate is for another name is unreachable, and gets no request", async () => {
  await pool.close();
  pool = poolOf(node.url.replace("127.0.0.1", "[::ffff:127.0.0.1]"));
  expect(await ask()).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
  expect(node.requests).toEqual([]);
});

test("a node that speaks no TLS is unreachable", async () => {
  const plain = await startFaultServer((socket) => void socket.write(reply));
  plain.server.on("connection", (socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"));
  await pool.close();
  pool = poolOf(plain.url.replace("http:", "https:"));
  expect(await ask()).toMatch(/^ERR_SSL_/);
  await plain.stop();
});

import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { answerBigOrSmall, BIG, codeOf } from "./hostile-clients.ts";

/**
 * In place of 20 s. The system tells the gateway of room in a reader's buffer in steps of up to 3 MB, half of the
 * largest buffer that it gives: the slow reader has to take one in this time.
 */
const TRICKLE_MS = 3000;
/** It is looked at every 2 s, and the first look begins to count. */
const CLOSED_WITHIN_MS = TRICKLE_MS + 2 * 2000 + 2000;

let node: StandInNode;
let gateway: GatewayProcess;
beforeAll(async () => {
  node = await startStandInNode(answerBigOrSmall);
  gateway = await startGatewayProcess(node.url, { limits: { trickleMs: TRICKLE_MS } });
});
afterAll(async () => {
  await gateway?.stop();
  await node?.stop();
});

/** Asks for 30 MB, and reads so many bytes of them every 20 ms; returns what ends it. */
function client(bytes: Buffer | string, bytesPerTick: number): () => void {
  const socket = connect(gateway.port, "127.0.0.1");
  socket.on("error", () => undefined);
  // With a listener the socket reads as much as it may hold, and no more until that is taken.
  socket.on("readable", () => undefined);
  const timer = setInterval(() => {
    for (let left = bytesPerTick; left > 0 && socket.readableLength > 0; ) {
      left -= socket.read(Math.min(left, socket.readableLength))?.length ?? left;
    }
  }, 20);
  socket.write(bytes);
  return () => {
    clearInterval(timer);
    socket.destroy();
  };
}

const post = (more: string): string => {
  const body = codeOf(BIG);
  return `POST ${gateway.path} HTTP/1.1\r\nHost: a\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
};

/** The upgrade, and a masked text frame with the call behind it. */
const overWebSocket = (): Buffer => {
  const head = [
    `GET ${gateway.wsPath} HTTP/1.1`,
    ...["Host: a", "Connection: Upgrade", "Upgrade: websocket"],
    ...["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==", "", ""],
  ].join("\r\n");
  const call = Buffer.from(codeOf(BIG));
  const frame = Buffer.alloc(8);
  frame[0] = 0x81;
  frame[1] = 0x80 | 126;
  frame.writeUInt16BE(call.length, 2);
  return Buffer.concat([Buffer.from(head), frame, call]);
};

/** The ways on which an answer goes out; all are tried at once, since each takes seconds. */
const WAYS: readonly (() => Buffer | string)[] = [
  () => post(""),
  // Read by node:http.
  () => post("TE: trailers\r\n"),
  overWebSocket,
];

test("who takes an answer by a trickle is cut off, a slow reader is not, on each way", async () => {
  const open = () => gateway.openConnections();
  await expect.poll(open).toBe(0);
  const ends = WAYS.flatMap((bytes) => [client(bytes(), 20), client(bytes(), 24_000)]);
  await expect.poll(open).toBe(2 * WAYS.length);
  await expect.poll(open, { timeout: CLOSED_WITHIN_MS }).toBe(WAYS.length);
  // The others for as long once more.
  await setTimeout(TRICKLE_MS + 2500);
  expect(await open()).toBe(WAYS.length);
  for (const end of ends) end();
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { callMeanwhile, describeCalls } from "./good-client.ts";
import { answerBigOrSmall, BIG, BIG_RESULT, codeOf } from "./hostile-clients.ts";

/** Some 30 MB in small pieces, as of a node that has much to say of many logs. */
const LOGS = Buffer.from(
  JSON.stringify(
    Array.from({ length: 44_000 }, (_, index) => ({
      address: "0x00000000000000000000000000000000000000aa",
      blockHash: `0x${"1".repeat(64)}`,
      blockNumber: "0x1",
      blockTimestamp: "0x1",
      data: `0x${"0".repeat(192)}`,
      logIndex: `0x${index.toString(16)}`,
      removed: false,
      topics: [`0x${"2".repeat(64)}`],
      transactionHash: `0x${"3".repeat(64)}`,
      transactionIndex: "0x0",
    })),
  ),
);
/** A block without totalDifficulty, so that the gateway has to look through it and to add one. */
const BLOCK = Buffer.from(
  JSON.stringify({
    number: "0x1",
    hash: `0x${"1".repeat(64)}`,
    transactions: Array.from({ length: 300 }, (_, index) => ({
      hash: `0x${index.toString(16).padStart(64, "0")}`,
      input: `0x${"a".repeat(100_000)}`,
      r: "0x1",
      s: "0x2",
    })),
    uncles: [],
  }),
);

let node: StandInNode;
let gateway: GatewayProcess;
beforeAll(async () => {
  node = await startStandInNode((request) => {
    if (request.method === "eth_getCode") return answerBigOrSmall(request);
    const head = Buffer.from(`{"jsonrpc":"2.0","id":${request.id},"result":`);
    const result = request.method === "eth_getLogs" ? LOGS : BLOCK;
    return { body: Buffer.concat([head, result, Buffer.from("}\n")]) };
  });
  // Time for 600 MB at once, on a machine that has more to do.
  gateway = await startGatewayProcess(node.url, { network: { timeoutMs: 30_000 } });
});
afterAll(async () => {
  await gateway.stop();
  await node.stop();
});

const call = (method: string, params: unknown[]): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
const enveloped = (result: Buffer): Buffer =>
  Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":1,"result":'), result, Buffer.from("}")]);

const CALLS: [name: string, body: string, answer: Buffer][] = [
  ["30 MB of code", codeOf(BIG), enveloped(BIG_RESULT)],
  ["30 MB of logs", call("eth_getLogs", [{}]), enveloped(LOGS)],
  [
    "blocks of 30 MB",
    call("eth_getBlockByNumber", ["0x1", true]),
    enveloped(Buffer.concat([Buffer.from('{"totalDifficulty":null,'), BLOCK.subarray(1)])),
  ],
];

const JSON_TYPE = { "content-type": "application/json" };

async function overHttp(body: string): Promise<Buffer> {
  const response = await fetch(`http://127.0.0.1:${gateway.port}${gateway.path}`, {
    method: "POST",
    headers: JSON_TYPE,
    body,
  });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

async function overWebSocket(body: string): Promise<Buffer> {
  const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}${gateway.wsPath}`);
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      socket.once("error", reject);
      socket.once("open", () => socket.send(body));
      socket.once("message", (data: Buffer) => resolve(data));
    });
  } finally {
    socket.terminate();
  }
}

describe.each([
  ["HTTP", overHttp],
  ["WebSocket", overWebSocket],
] as const)("over %s", (transport, send) => {
  test.each(CALLS)(
    "%s arrive byte for byte, and delay no other call",
    async (name, body, answer) => {
      await gateway.state();
      let busy = true;
      let calls = 0;
      const small = callMeanwhile(gateway, () => {
        calls += 1;
        return busy || calls <= 204;
      });
      const delays: number[] = [];
      try {
        for (let turn = 0; turn < 3; turn += 1) {
          const received = await send(body);
          expect(received.equals(answer)).toBe(true);
          delays.push((await gateway.state()).maxDelayMs);
        }
      } finally {
        busy = false;
      }
      const others = await small;
      // What else this machine does holds it up too; a fault of the gateway would each time.
      const maxDelayMs = Math.min(...delays);
      process.stdout.write(
        `${name} over ${transport}: event loop held up for ${maxDelayMs.toFixed(1)} ms at most; ` +
          `meanwhile ${describeCalls(others)}\n`,
      );
      expect(others.count).toBeGreaterThanOrEqual(200);
      expect(maxDelayMs).toBeLessThan(200);
    },
  );

  test("twenty answers of 30 MB at once stay bounded in memory and leave none", async () => {
    const before = await gateway.state();
    const received = await Promise.all(Array.from({ length: 20 }, () => send(codeOf(BIG))));
    const answer = enveloped(BIG_RESULT);
    for (const each of received) expect(each.equals(answer)).toBe(true);
    const after = await gateway.state();
    process.stdout.write(
      `20 × 30 MB over ${transport}: at most ${(after.peakBytes / 1e6).toFixed(0)} MB\n`,
    );
    expect(after.usedBytes - before.usedBytes).toBeLessThan(30_000_000);
    expect(after.peakBytes).toBeLessThan(20 * 2 * BIG_RESULT.length + 300_000_000);
  });
});

test("an answer over maxResponseBytes is -32000 `answer too large`, and no other node is asked", async () => {
  const other = await startStandInNode(answerBigOrSmall);
  const upstreams = [
    { name: "first", url: node.url },
    { name: "second", url: other.url },
  ];
  const small = await startGatewayProcess(node.url, {
    network: { maxResponseBytes: 1_000_000, upstreams },
  });
  try {
    const asked = () => node.requests.length + other.requests.length;
    const before = asked();
    const url = `http://127.0.0.1:${small.port}${small.path}`;
    const response = await fetch(url, { method: "POST", headers: JSON_TYPE, body: codeOf(BIG) });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32000, message: "answer too large" },
    });
    expect(asked() - before).toBe(1);
    expect((await small.state()).peakBytes).toBeLessThan(400_000_000);
  } finally {
    await small.stop();
    await other.stop();
  }
});

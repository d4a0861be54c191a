import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CONNECTION_LIMITS } from "../../src/gateway/fronts/server.ts";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { openRaw, readAnswers } from "../support/raw-connection.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { callMeanwhile, describeCalls } from "./good-client.ts";
import { answerBigOrSmall, BIG, codeOf, HOSTILE, type Target } from "./hostile-clients.ts";

/** Small enough to wait for; slow.long.ts waits for the real ones. */
const LIMITS = { headersMs: 1000, bodyMs: 4000, stalledMs: 5000 };
const OF_EACH_KIND = 20;
let node: StandInNode;
let gateway: GatewayProcess;
let target: Target;
beforeAll(async () => {
  node = await startStandInNode(answerBigOrSmall);
  // On a machine that has more to do, 600 MB at once take a node a while.
  const network = { timeoutMs: 20_000 };
  gateway = await startGatewayProcess(node.url, { limits: LIMITS, network });
  target = { port: gateway.port, path: gateway.path, dripMs: 100 };
});
afterAll(async () => {
  await gateway.stop();
  await node.stop();
});

const openConnections = () => gateway.openConnections();

test("headers have 10 s, bodies 30 s, a TLS handshake 10 s, an unread answer 120 s, and each 20 s of it the least rate", () => {
  expect(CONNECTION_LIMITS).toEqual({
    headersMs: 10_000,
    bodyMs: 30_000,
    handshakeMs: 10_000,
    stalledMs: 120_000,
    trickleMs: 20_000,
  });
});

const timeout = {
  code: 408,
  message: "Request Timeout",
  details: "send the headers and the body of a request without long pauses",
};

describe("a client is closed with the documented status that", { concurrent: true }, () => {
  test.each(HOSTILE.filter(({ statuses }) => statuses.length > 0))(
    "$name",
    async ({ statuses, limit, open }) => {
      const begun = performance.now();
      const connection = await open(target);
      const answers = readAnswers(await connection.closed);
      expect(answers.map(({ status }) => status)).toEqual(statuses);
      const tookMs = performance.now() - begun;
      expect(tookMs).toBeGreaterThan(LIMITS[limit] - 100);
      expect(tookMs).toBeLessThan(LIMITS[limit] + 2500);
      const last = answers.at(-1);
      if (last?.status !== 408) return;
      expect(JSON.parse(last.body)).toEqual({ jsonrpc: "2.0", id: null, error: timeout });
      expect(last.head).toMatch(/\r\nConnection: close(\r\n|$)/);
      expect(last.head).toMatch(/\r\nRetry-After: 1(\r\n|$)/);
    },
  );
});

test("a client that breaks off in its body or in its answer leaves nothing behind", async () => {
  const before = await openConnections();
  const call = codeOf(BIG);
  const head = `POST ${target.path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${call.length}\r\n\r\n`;
  for (const cut of ["FIN", "RST"]) {
    for (const part of [head, head + call.slice(0, -10), head + call]) {
      const { socket, send } = await openRaw(target.port);
      send(part);
      if (part.endsWith(call)) await new Promise((resolve) => socket.once("data", resolve));
      if (cut === "FIN") socket.destroy();
      else socket.resetAndDestroy();
    }
  }
  await expect.poll(openConnections, { timeout: 5000 }).toBe(before);
});

test("200 hostile connections delay nobody, are all closed, and leave no memory", async () => {
  const alone = await callMeanwhile(target, until(1500));
  const before = (await gateway.state()).usedBytes;

  const kinds = HOSTILE.flatMap((kind) => Array(OF_EACH_KIND).fill(kind));
  const connections = await Promise.all(kinds.map(({ open }) => open(target)));
  expect(connections).toHaveLength(200);
  let open = true;
  const among = callMeanwhile(target, () => open);
  await expect.poll(openConnections, { timeout: 28_000, interval: 200 }).toBeLessThanOrEqual(4);
  open = false;
  const meanwhile = await among;
  for (const { socket } of connections) socket.destroy();
  await expect.poll(openConnections).toBe(0);

  const after = (await gateway.state()).usedBytes;
  process.stdout.write(
    `among 200 hostile connections: ${describeCalls(meanwhile)}; alone: ${describeCalls(alone)}; ` +
      `memory ${((after - before) / 1e6).toFixed(1)} MB\n`,
  );
  expect(meanwhile.count).toBeGreaterThan(4);
  expect(after - before).toBeLessThan(30_000_000);
}, 60_000);

function until(ms: number): () => boolean {
  const end = performance.now() + ms;
  return () => performance.now() < end;
}

import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";

const CONNECTIONS = 200;
/** As many calls of each may be in the air. */
const SOCKETS = 30;
const CALLS = 30_000;
/** In the lines of both nodes, and on their connections. */
const MOST_WAITING = 2 * (8192 + CONNECTIONS);
const MOST_BYTES = 64 * 1024 * 1024;
const CALL_BYTES = 2560;
/** Below the 4 s of an attempt: who is refused sooner was not sent. */
const AT_ONCE_MS = 3000;
const JSON_TYPE = { "content-type": "application/json" };

let nodes: StandInNode[];
let gateway: GatewayProcess;
let sockets: WebSocket[];
let isHung: boolean;
beforeEach(async () => {
  isHung = false;
  sockets = [];
  nodes = await Promise.all(
    [0, 1].map(() =>
      startStandInNode(async ({ method }) => {
        if (isHung && method === "eth_getCode") await new Promise(() => undefined);
        return { result: "0x01" };
      }),
    ),
  );
  const upstreams = nodes.map(({ url }, index) => ({
    ...{ name: `node-${index}`, url, maxConnections: CONNECTIONS },
  }));
  gateway = await startGatewayProcess("http://127.0.0.1:1", { network: { upstreams } });
});
afterEach(async () => {
  for (const socket of sockets) socket.terminate();
  await gateway?.stop();
  for (const node of nodes ?? []) await node.stop();
});

async function connected(): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}${gateway.wsPath}`);
  sockets.push(socket);
  await once(socket, "open");
  return socket;
}

let made = 0;
const nextCall = (): string => {
  made += 1;
  const address = `0x${made.toString(16).padStart(40, "0")}`;
  return `{"jsonrpc":"2.0","id":${made},"method":"eth_getCode","params":["${address}","0x1"]}`;
};

const heldBytes = async (): Promise<number> =>
  Number(/^tollgate_client_memory_bytes (\d+)/m.exec(await gateway.metrics())?.[1]);

test("with all nodes hung a bounded number waits, the others are refused at once, and all are answered", async () => {
  let answered = 0;
  let refused = 0;
  let firstMs = Number.POSITIVE_INFINITY;
  const sentAtMs = new Map<number, number>();
  const open = await Promise.all(Array.from({ length: SOCKETS }, connected));
  for (const socket of open) {
    socket.on("message", (data) => {
      answered += 1;
      const text = String(data);
      if (!text.includes("no upstream could answer")) return;
      refused += 1;
      const { id } = JSON.parse(text) as { readonly id: number };
      firstMs = Math.min(firstMs, performance.now() - (sentAtMs.get(id) ?? 0));
    });
  }
  const everyone = () => expect.poll(() => answered, { timeout: 30_000 });
  for (const socket of open) socket.send(nextCall());
  await everyone().toBe(SOCKETS);
  isHung = true;
  answered = 0;
  const { usedBytes } = await gateway.state();
  for (let call = 0; call < CALLS; call += 1) {
    open[call % SOCKETS]?.send(nextCall());
    sentAtMs.set(made, performance.now());
    if (call % 1000 === 0) await setTimeout(1);
  }
  await expect.poll(() => refused, { timeout: 30_000 }).toBeGreaterThan(CALLS - MOST_WAITING);
  expect(firstMs).toBeLessThan(AT_ONCE_MS);
  expect((await gateway.state()).usedBytes - usedBytes).toBeLessThan(MOST_BYTES);
  await everyone().toBe(CALLS);
  expect(refused).toBe(CALLS);
}, 90_000);

test.each(["websocket", "http"])(
  "calls that wait over %s are counted with what they take, until they are answered",
  async (wire) => {
    const socket = await connected();
    socket.send(nextCall());
    await once(socket, "message");
    isHung = true;
    const before = await heldBytes();
    const calls = Array.from({ length: 100 }, nextCall);
    const url = `http://127.0.0.1:${gateway.port}${gateway.path}`;
    const over =
      wire === "websocket"
        ? new Promise<void>((resolve) => {
            let left = calls.length;
            socket.on("message", () => {
              left -= 1;
              if (left === 0) resolve();
            });
            for (const call of calls) socket.send(call);
          })
        : fetch(url, { method: "POST", headers: JSON_TYPE, body: `[${calls.join(",")}]` }).then(
            (answer) => answer.text(),
          );
    await expect.poll(heldBytes).toBeGreaterThanOrEqual(before + calls.length * CALL_BYTES);
    await over;
    await expect.poll(heldBytes).toBe(before);
  },
  60_000,
);

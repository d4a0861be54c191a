import { createConnection } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import WebSocket from "ws";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";

const LARGE = `0x${"ab".repeat(400_000)}`;

let node: StandInNode;
let gateway: TestGateway;
const binding = vi.spyOn(process as unknown as { binding: () => unknown }, "binding");
beforeAll(async () => {
  node = await startStandInNode(async ({ id, method }) => ({
    body: JSON.stringify({ jsonrpc: "2.0", id, result: method === "eth_call" ? LARGE : "0x7" }),
  }));
  const upstreams = [{ name: "a", url: node.url }];
  gateway = await startTestGateway({
    server: { wire: "node" },
    networks: [{ name: "node", family: "evm", chainId: 1, upstreams }],
  });
});
afterAll(async () => {
  await gateway?.stop();
  await node?.stop();
});

const balance = (id: number) => ({
  jsonrpc: "2.0",
  id,
  method: "eth_getBalance",
  params: [`0x${"1".repeat(40)}`, "latest"],
});
const contract = (id: number) => ({
  jsonrpc: "2.0",
  id,
  method: "eth_call",
  params: [{ to: `0x${"1".repeat(40)}` }, "latest"],
});
const post = async (body: unknown): Promise<unknown> => {
  const headers = { "content-type": "application/json" };
  const options = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(gateway.http(), options);
  return response.json();
};

test("nothing that Node does not document is looked for", () => {
  expect(binding).not.toHaveBeenCalled();
});

test("calls, batches and large answers are served", async () => {
  const small = (id: number) => ({ jsonrpc: "2.0", id, result: "0x7" });
  for (let id = 1; id <= 20; id += 1) expect(await post(balance(id))).toEqual(small(id));
  expect(await post([balance(1), balance(2)])).toEqual([small(1), small(2)]);
  expect(await post(contract(3))).toEqual({ jsonrpc: "2.0", id: 3, result: LARGE });
});

test("a WebSocket carries calls and large answers", async () => {
  const socket = new WebSocket(gateway.ws());
  const answers: unknown[] = [];
  socket.on("message", (data) => answers.push(JSON.parse(String(data))));
  await new Promise((resolve) => socket.once("open", resolve));
  for (const call of [balance(1), contract(2)]) socket.send(JSON.stringify(call));
  await expect.poll(() => answers.length).toBe(2);
  expect(answers).toContainEqual({ jsonrpc: "2.0", id: 2, result: LARGE });
  socket.close();
  await new Promise((resolve) => socket.once("close", resolve));
});

test("pipelined requests are answered in their order", async () => {
  const socket = createConnection(gateway.port, "127.0.0.1");
  let received = "";
  socket.setEncoding("latin1").on("data", (text) => {
    received += text;
  });
  const request = (id: number) => {
    const body = JSON.stringify(balance(id));
    return `POST /node/v3/${gateway.key} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
  socket.write([1, 2, 3].map(request).join(""));
  await expect.poll(() => received.match(/"id":\d/g)).toEqual(['"id":1', '"id":2', '"id":3']);
  socket.destroy();
});

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { dayOf } from "../../src/lib/day.ts";
import {
  isAlive,
  type Line,
  nextCall,
  startWorkerGateway,
  type WorkerGateway,
} from "./worker-gateway.ts";

/** A second where the machine is not busy; tests share it. */
const REPLACED_MS = 5000;

let gateway: WorkerGateway;
let key: string;
beforeAll(async () => {
  gateway = await startWorkerGateway();
  ({ key } = await gateway.newKey());
});
afterAll(() => gateway?.clear());
beforeEach(() => gateway.whole());

const callAll = (lines: readonly Line[]) => Promise.all(lines.map((line) => line.call()));
const isOpen = (line: Line) => line.isOpen();

async function kill(number: number): Promise<void> {
  const pid = gateway.pid(number);
  process.kill(pid, "SIGKILL");
  await expect.poll(() => isAlive(pid), { interval: 5 }).toBe(false);
}

test("connections are dealt out evenly; a killed worker takes its own with it and is replaced", async () => {
  const lines: Line[] = [];
  for (let line = 0; line < 6; line += 1) {
    lines.push(...(await gateway.lines(1, key)));
    expect(await lines.at(-1)?.call()).toBe(200);
  }
  const old = gateway.pid(1);
  const killedAtMs = performance.now();
  await kill(1);
  await expect.poll(() => lines.filter(isOpen).length, { interval: 5 }).toBe(3);
  await gateway.process.says(/"msg":"worker ended"/);
  // Meanwhile the other goes on, and takes the new connections.
  const rest = [...lines.filter(isOpen), ...(await gateway.lines(2, key))];
  expect(await callAll(rest)).toEqual([200, 200, 200, 200, 200]);
  await expect.poll(() => gateway.pid(1), { timeout: REPLACED_MS, interval: 5 }).not.toBe(old);
  expect(performance.now() - killedAtMs).toBeLessThan(REPLACED_MS);
  for (const line of rest) line.end();
});

test("a worker that dies with a connection on its way to it is replaced, and that connection ends", async () => {
  const pid = gateway.pid(2);
  process.kill(pid, "SIGSTOP");
  const lines = await gateway.lines(4, key);
  const called = lines.map((line) => line.call().catch((error: Error) => error.message));
  await kill(2);
  const answers = await Promise.all(called);
  expect(answers.toSorted()).toEqual([200, 200, 200, "the connection ended"]);
  await expect.poll(() => gateway.pid(2), { timeout: REPLACED_MS, interval: 5 }).not.toBe(pid);
  await gateway.whole();
  for (const line of lines) line.end();
});

test("a WebSocket ends with its worker; those of the other go on", async () => {
  const open = () =>
    new Promise<WebSocket>((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/node/ws/v3/${key}`);
      socket.on("error", reject);
      socket.once("open", () => resolve(socket));
    });
  const sockets = [await open(), await open()];
  const closed = sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
  await kill(2);
  expect(await Promise.race(closed)).toBe(1006);
  const [left, ...others] = sockets.filter(({ readyState }) => readyState === WebSocket.OPEN);
  expect(others).toEqual([]);
  const answer = new Promise((resolve) => left?.once("message", (data) => resolve(String(data))));
  left?.send(nextCall());
  expect(JSON.parse(String(await answer))).toEqual({ jsonrpc: "2.0", id: 1, result: "0x6001" });
  left?.terminate();
});

test("what all workers serve together is charged, to the credit", async () => {
  const { owner, key: own } = await gateway.newKey();
  const price = 80;
  const before = await gateway.metric("tollgate_credits_total");
  const lines = await gateway.lines(8, own);
  for (let round = 0; round < 25; round += 1) await callAll(lines);
  expect((await gateway.metric("tollgate_credits_total")) - before).toBe(200 * price);
  const used = async () => (await gateway.storage.ledger.read(owner, dayOf(Date.now()))).used;
  await expect.poll(used, { timeout: 2000 }).toBe(200 * price);
  for (const line of lines) line.end();
});

test("counts are those of all workers, and never go back when one dies", async () => {
  const lines = await gateway.lines(4, key);
  const calls = 'tollgate_calls_total{network="node",method="eth_getCode"';
  const before = await gateway.metric(calls);
  await callAll(lines);
  expect(await gateway.metric(calls)).toBe(before + 4);
  // Those of other tests are still ending.
  const open = () => gateway.metric('tollgate_connections{transport="http"}');
  await expect.poll(open).toBe(4);
  await kill(1);
  for (let looks = 0; looks < 10; looks += 1) {
    expect(await gateway.metric(calls)).toBe(before + 4);
  }
  await gateway.whole();
  const { text } = await gateway.page("/metrics");
  expect(text).toMatch(/^tollgate_network_head\{network="node"\} 16$/m);
  for (const worker of ["1", "2", "primary"]) {
    expect(text).toMatch(
      new RegExp(`^process_resident_memory_bytes\\{worker="${worker}"\\} `, "m"),
    );
  }
  expect(await gateway.metric(calls)).toBe(before + 4);
  for (const line of lines) line.end();
});

test("what a killed worker had counted up to its last second is kept, unasked", async () => {
  const calls = 'tollgate_calls_total{network="node",method="eth_getCode"';
  const before = await gateway.metric(calls);
  const lines = await gateway.lines(2, key);
  await callAll(lines);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await kill(2);
  expect(await gateway.metric(calls)).toBe(before + 2);
  for (const line of lines) line.end();
});

test("a revoked key is refused by every worker within a second", async () => {
  const { id, key: own } = await gateway.newKey();
  const lines = await gateway.lines(4, own);
  expect(await callAll(lines)).toEqual([200, 200, 200, 200]);
  await gateway.storage.keys.revoke(id, Date.now());
  const options = { timeout: 1000, interval: 20 };
  const refused = [401, 401, 401, 401];
  await expect.poll(async () => callAll(await gateway.lines(4, own)), options).toEqual(refused);
});

test("a drained upstream is drained in all workers and in those that follow", async () => {
  const place = "/networks/node/upstreams/a";
  const states = async () => {
    const { networks } = JSON.parse((await gateway.page("/networks")).text);
    return networks[0].upstreams[0].state;
  };
  const lines = await gateway.lines(2, key);
  expect(await gateway.page(`${place}/drain`, "POST")).toEqual({
    status: 200,
    text: '{"network":"node","upstream":"a","drained":true}',
  });
  expect(await callAll(lines)).toEqual([503, 503]);
  expect(await states()).toBe("drained");
  await kill(1);
  await gateway.whole();
  const asked = gateway.node.requests.length;
  const more = await gateway.lines(2, key);
  expect(await callAll(more)).toEqual([503, 503]);
  expect(gateway.node.requests.length).toBe(asked);
  await gateway.page(`${place}/enable`, "POST");
  const usable = async () => callAll(await gateway.lines(2, key));
  await expect.poll(usable, { timeout: 5000 }).toEqual([200, 200]);
  for (const unknown of ["/networks/other/upstreams/a", "/networks/node/upstreams/b"]) {
    expect((await gateway.page(`${unknown}/drain`, "POST")).status).toBe(404);
  }
  for (const line of [...lines, ...more]) line.end();
});

test("a worker that hangs holds up no page, and its counts stand", async () => {
  const lines = await gateway.lines(2, key);
  await callAll(lines);
  const calls = 'tollgate_calls_total{network="node",method="eth_getCode"';
  const before = await gateway.metric(calls);
  const pid = gateway.pid(2);
  process.kill(pid, "SIGSTOP");
  const begunMs = performance.now();
  expect(await gateway.metric(calls)).toBe(before);
  expect((await gateway.page("/networks")).status).toBe(200);
  expect(await gateway.page("/readyz")).toEqual({
    status: 200,
    text: '{"ready":true,"obstacles":["worker 2: does not answer"]}',
  });
  expect(performance.now() - begunMs).toBeLessThan(5000);
  // One new connection at most waits for it.
  const more = await gateway.lines(4, key);
  const called = more.map((line) => line.call());
  await Promise.any([0, 1, 2, 3].map((but) => Promise.all(called.filter((_, at) => at !== but))));
  process.kill(pid, "SIGCONT");
  expect(await Promise.all(called)).toEqual([200, 200, 200, 200]);
  await gateway.whole();
  for (const line of [...lines, ...more]) line.end();
});

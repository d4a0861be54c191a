import { afterEach, describe, expect, test, vi } from "vitest";
import { openRaw, type RawConnection, readAnswers } from "../support/raw-connection.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import {
  makeKey,
  openWorkplace,
  type Started,
  type Workplace,
} from "../support/started-gateway.ts";
import type { TollgateOptions } from "../support/tollgate-process.ts";

const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';
/** Half a second after the start the storage gets its thread. */
const THREAD_BEGUN_MS = 1500;
/** Longer than a connection of nobody's is kept. */
const SLOW_MS = 6000;

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

type Scene = {
  readonly gateway: Started;
  readonly workplace: Workplace;
  readonly path: string;
  readonly open: (count: number, host?: string) => Promise<readonly RawConnection[]>;
};

async function scene(server: object, options: TollgateOptions = {}): Promise<Scene> {
  const node: StandInNode = await startStandInNode(async ({ method }) => {
    if (method === "eth_getCode") await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    return { result: "0x1" };
  });
  ending.push(node.stop);
  const workplace = await openWorkplace({
    server: { port: 0, ...server },
    admin: { port: 0 },
    storage: { url: "sqlite:./tollgate.db" },
    networks: [
      {
        ...{ name: "node", family: "evm", chainId: 1, timeoutMs: 20_000 },
        upstreams: [{ name: "a", url: node.url, maxConnections: 8 }],
      },
    ],
  });
  ending.push(workplace.clear);
  const key = await makeKey(workplace);
  const gateway = await workplace.start(options);
  const open = async (count: number, host = "127.0.0.1") => {
    const opened = await Promise.all(
      Array.from({ length: count }, () => openRaw(gateway.port, host)),
    );
    ending.push(() => {
      for (const { socket } of opened) socket.destroy();
    });
    return opened;
  };
  return { gateway, workplace, path: `/node/v3/${key}`, open };
}

const requestTo = (path: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${CALL.length}\r\n\r\n${CALL}`;

const upgradeTo = (path: string, forwarded: string): string =>
  [
    `GET ${path} HTTP/1.1`,
    ...["Host: a", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"],
    ...[`X-Forwarded-For: ${forwarded}`, "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==", "", ""],
  ].join("\r\n");

/** The status of a call on this connection; undefined where it was closed instead. */
async function statusOn(connection: RawConnection, path: string): Promise<number | undefined> {
  const before = connection.received().length;
  connection.send(requestTo(path));
  await Promise.race([
    connection.closed,
    expect.poll(() => connection.received().length, { timeout: 5000 }).toBeGreaterThan(before),
  ]);
  const text = connection.received().slice(before);
  return text === "" ? undefined : readAnswers(text)[0]?.status;
}

/** Those that are open a moment after. */
async function stillOpen(connections: readonly RawConnection[]): Promise<RawConnection[]> {
  await new Promise((resolve) => setTimeout(resolve, 200));
  return connections.filter(({ socket }) => !socket.destroyed && socket.readable);
}

test("connections are bounded in all: one more is closed, those that are open are served on", async () => {
  const { open, path } = await scene({ maxConnections: 20, maxConnectionsPerAddress: 20 });
  const first = await stillOpen(await open(20));
  expect(first).toHaveLength(20);
  expect(await stillOpen(await open(5))).toHaveLength(0);
  const [one, ...others] = first as [RawConnection, ...RawConnection[]];
  expect(await statusOn(one, path)).toBe(200);
  for (const { socket } of others) socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await stillOpen(await open(5))).toHaveLength(5);
});

test("connections are bounded by address: others get in", async () => {
  const { gateway } = await scene({ maxConnections: 40, maxConnectionsPerAddress: 10 });
  const { connect } = await import("node:net");
  const from = (localAddress: string) =>
    new Promise<RawConnection["socket"]>((resolve, reject) => {
      const socket = connect({ port: gateway.port, host: "127.0.0.1", localAddress });
      ending.push(() => socket.destroy());
      socket.once("connect", () => resolve(socket));
      socket.once("error", reject);
    });
  const openFrom = async (address: string, count: number) => {
    const sockets = await Promise.all(Array.from({ length: count }, () => from(address)));
    for (const socket of sockets) socket.on("error", () => undefined).resume();
    await new Promise((resolve) => setTimeout(resolve, 200));
    return sockets.filter(({ readable, destroyed }) => readable && !destroyed).length;
  };
  expect(await openFrom("127.0.0.2", 15)).toBe(10);
  expect(await openFrom("127.0.0.3", 10)).toBe(10);
});

test("WebSockets behind a proxy are bounded by the address that it tells, of IPv6 by its /64", async () => {
  const { path, open } = await scene({ trustProxy: ["127.0.0.1"], maxConnectionsPerAddress: 3 });
  const statusFor = async (forwarded: string) => {
    const [connection] = await open(1);
    if (connection === undefined) throw new Error("no connection");
    connection.send(upgradeTo(path.replace("/v3/", "/ws/v3/"), forwarded));
    await expect.poll(() => connection.received(), { timeout: 5000 }).toContain("\r\n");
    return { connection, status: Number(connection.received().split(" ")[1]) };
  };
  for (const [address, other] of [
    ["192.0.2.1", "192.0.2.2"],
    ["2001:db8::1", "2001:db8:0:1::1"],
  ] as const) {
    const first = await statusFor(address);
    const statuses = [first.status];
    for (let turn = 0; turn < 4; turn += 1) {
      const of64 = address.includes(":") ? `2001:db8::${turn}:1` : address;
      statuses.push((await statusFor(of64)).status);
    }
    expect(statuses).toEqual([101, 101, 101, 429, 429]);
    expect((await statusFor(other)).status).toBe(101);
    first.connection.socket.destroy();
    await expect.poll(async () => (await statusFor(address)).status, { timeout: 5000 }).toBe(101);
  }
});

test("the admin port has a bound of its own, and takes connections again once others are closed", async () => {
  const { gateway } = await scene({});
  const { port } = new URL(gateway.admin);
  const all = await Promise.all(Array.from({ length: 120 }, () => openRaw(Number(port))));
  ending.push(() => {
    for (const { socket } of all) socket.destroy();
  });
  const open = await stillOpen(all);
  expect(open).toHaveLength(50);
  await expect(fetch(`${gateway.admin}/healthz`)).rejects.toThrow();
  for (const { socket } of open) socket.destroy();
  const status = async () =>
    (await fetch(`${gateway.admin}/healthz`).catch(() => undefined))?.status;
  await expect.poll(status, { timeout: 5000 }).toBe(200);
});

test("a connection that was answered 401 or 404 is closed after 5 s, over both wires", async () => {
  const { open, path } = await scene({});
  const [good, ...others] = await open(5);
  if (good === undefined) throw new Error("no connection");
  const begun = performance.now();
  const refused = [path.replace(/[^/]+$/, "nobody"), "/nothing"].flatMap((target) => [
    requestTo(target),
    requestTo(target).replace("Host: a", "Host: a\r\nTE: trailers"),
  ]);
  for (const [at, connection] of others.entries()) connection.send(refused[at] ?? "");
  expect(await statusOn(good, path)).toBe(200);
  const statuses: (number | undefined)[] = [];
  for (const { closed } of others) statuses.push(readAnswers(await closed)[0]?.status);
  expect(statuses).toEqual([401, 401, 404, 404]);
  const tookMs = performance.now() - begun;
  expect(tookMs).toBeGreaterThan(4500);
  expect(tookMs).toBeLessThan(9000);
  expect(await statusOn(good, path)).toBe(200);
}, 20_000);

test("a call that was pipelined behind a 404 is answered, however long it takes", async () => {
  const { open, path } = await scene({});
  const [connection] = await open(1);
  if (connection === undefined) throw new Error("no connection");
  const params = [`0x${"11".repeat(20)}`, "latest"];
  const slow = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getCode", params });
  const toNodeHttp = (target: string, body: string) =>
    `POST ${target} HTTP/1.1\r\nHost: a\r\nTE: trailers\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  connection.send(toNodeHttp("/nothing", CALL) + toNodeHttp(path, slow));
  const statuses = () => readAnswers(connection.received()).map(({ status }) => status);
  await expect.poll(statuses, { timeout: 3 * SLOW_MS }).toEqual([404, 200]);
}, 20_000);

test("unknown keys are bounded by address, and keys that are known are served on", async () => {
  const { gateway, path, open } = await scene({ trustProxy: ["127.0.0.1"] });
  const ask = async (target: string, address: string) => {
    const answer = await fetch(`${gateway.origin}${target}`, {
      method: "POST",
      headers: { "x-forwarded-for": address },
      body: Buffer.from(CALL),
    });
    await answer.text();
    return answer;
  };
  expect((await ask(path, "192.0.2.1")).status).toBe(200);
  // All at once: what flows in meanwhile, 200 a second, is little beside it.
  const connections = await open(20);
  const nobodys = (connection: number, key: number) =>
    requestTo(`/node/v3/nobody-${connection}-${key}`).replace(
      "Host: a\r\n",
      "Host: a\r\nX-Forwarded-For: 192.0.2.1\r\n",
    );
  for (const [at, connection] of connections.entries()) {
    connection.send(Array.from({ length: 200 }, (_, key) => nobodys(at, key)).join(""));
  }
  const answers = () => connections.flatMap(({ received }) => readAnswers(received()));
  await vi.waitFor(() => expect(answers()).toHaveLength(4000), { interval: 250, timeout: 30_000 });
  const refused = answers().filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const { head } of refused) expect(head).toMatch(/\r\nRetry-After: 1(?:\r\n|$)/);
  const unknown = answers().filter(({ status }) => status === 401);
  expect(unknown.length).toBeGreaterThanOrEqual(1000);
  expect(unknown.length + refused.length).toBe(4000);
  expect((await ask(path, "192.0.2.1")).status).toBe(200);
  expect((await ask("/node/v3/nobody", "192.0.2.2")).status).toBe(401);
});

describe("with few file descriptors", () => {
  const files = (most: number): TollgateOptions => ({
    command: (argv) => ["sh", "-c", `ulimit -n ${most} && exec "$@"`, "sh", ...argv],
  });

  test("400 connections from the first moment keep neither the storage nor the admin port from working", async () => {
    const { gateway, path, open } = await scene({ maxConnections: 1000 }, files(300));
    expect(gateway.process.output()).toMatch(
      /"maxConnections":1000,"allowed":128,"msg":"server.maxConn/,
    );
    const held = await open(400);
    const kept = await stillOpen(held);
    expect(kept.length).toBeGreaterThan(50);
    expect(kept.length).toBeLessThan(300);
    await new Promise((resolve) => setTimeout(resolve, THREAD_BEGUN_MS));
    const ready = await fetch(`${gateway.admin}/readyz`);
    expect(await ready.json()).toEqual({ ready: true, obstacles: [] });
    const [one] = kept;
    if (one === undefined) throw new Error("no connection was kept");
    expect(await statusOn(one, path)).toBe(200);
    expect((await fetch(`${gateway.admin}/healthz`)).status).toBe(200);
  });
});

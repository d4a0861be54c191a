import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { createAuthority } from "../support/certificates.ts";
import { type ConnectProxy, startConnectProxy } from "../support/connect-proxy.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { temporaryFolder } from "../support/written.ts";
import { ask } from "./client.ts";

const folder = temporaryFolder("ways");
const authority = createAuthority();
const client = authority.issue();
const stranger = createAuthority("Somebody else").issue();
const path = (name: string): string => join(folder, name);
const FILES = {
  "ca.pem": authority.cert,
  "cert.pem": client.cert,
  "key.pem": client.key,
  "stranger.pem": stranger.cert,
  "stranger-key.pem": stranger.key,
};
const TLS = { cert: path("cert.pem"), key: path("key.pem"), ca: path("ca.pem") };
const HEAD = { number: "0x10", hash: `0x${"1".repeat(64)}`, parentHash: `0x${"2".repeat(64)}` };

/** A node that wants to see a certificate of the authority. */
let node: Server;
let nodePort: number;
let plain: StandInNode;
let proxy: ConnectProxy;
let gateway: TestGateway | undefined;
/** Subscriptions to new heads that the node has taken. */
let subscribed = 0;

beforeAll(async () => {
  for (const [name, text] of Object.entries(FILES)) writeFileSync(path(name), text);
  plain = await startStandInNode(() => ({ result: "0x2a" }));
  const options = { ...authority.issue(), ca: authority.cert, requestCert: true };
  node = createServer(options, (request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", async () => {
      const answer = await fetch(plain.url, { method: "POST", body: text });
      response.end(await answer.text());
    });
  });
  new WebSocketServer({ server: node }).on("connection", (socket) => {
    socket.on("message", (data) => {
      subscribed += 1;
      const { id } = JSON.parse(String(data));
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, result: "0x1" }));
      const params = { subscription: "0x1", result: HEAD };
      socket.send(JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params }));
    });
  });
  node.listen(0, "127.0.0.1");
  await once(node, "listening");
  nodePort = (node.address() as AddressInfo).port;
});
afterAll(async () => {
  node.closeAllConnections();
  node.close();
  await plain.stop();
});

beforeEach(async () => {
  proxy = await startConnectProxy("ann:a-password");
  subscribed = 0;
});
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  await proxy.stop();
});

async function start(upstream: object): Promise<TestGateway> {
  gateway = await startTestGateway({
    networks: [
      { name: "net", family: "evm", chainId: 1, upstreams: [{ name: "node", ...upstream }] },
    ],
  });
  return gateway;
}
async function balance(at: TestGateway): Promise<unknown> {
  const params = [`0x${"ab".repeat(20)}`, "latest"];
  return (await ask(at.http("net"), { method: "eth_getBalance", params })).body;
}
type Overview = {
  readonly networks: readonly { readonly upstreams: readonly { readonly lastError: unknown }[] }[];
};
const secure = (): string => `https://127.0.0.1:${nodePort}`;
const lastError = async (at: TestGateway): Promise<unknown> => {
  const { networks } = (await (await at.admin("/networks")).json()) as Overview;
  return networks[0]?.upstreams[0]?.lastError;
};

describe("a node that wants a certificate", () => {
  test("is shown it, and trusted by the CA of the file", async () => {
    expect(await balance(await start({ url: secure(), tls: TLS }))).toMatchObject({
      result: "0x2a",
    });
  });

  test("is shown it over its WebSocket too", async () => {
    await start({ url: secure(), ws: `wss://127.0.0.1:${nodePort}`, tls: TLS });
    await expect.poll(() => subscribed, { timeout: 5000 }).toBeGreaterThan(0);
  });

  test("refuses a stranger's, and its answer is the upstream's last error", async () => {
    const tls = { cert: path("stranger.pem"), key: path("stranger-key.pem"), ca: path("ca.pem") };
    const at = await start({ url: secure(), tls });
    expect(await balance(at)).toMatchObject({ error: { message: "no upstream could answer" } });
    expect(await lastError(at)).toMatchObject({ count: expect.any(Number) });
  });

  test("is not believed where the file trusts somebody else", async () => {
    const at = await start({ url: secure(), tls: { ...TLS, ca: path("stranger.pem") } });
    expect(await balance(at)).toMatchObject({ error: { message: "no upstream could answer" } });
  });

  test("files that are no certificate keep the gateway from starting, and are not shown", async () => {
    const tls = { ...TLS, cert: path("key.pem") };
    await expect(start({ url: secure(), tls })).rejects.toThrow(/the files of tls cannot be used/);
  });
});

describe("behind a proxy", () => {
  test("a node with TLS is reached through a tunnel, with the proxy's login", async () => {
    const at = await start({ url: secure(), tls: TLS, proxy: proxy.url });
    expect(await balance(at)).toMatchObject({ result: "0x2a" });
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT 127.0.0.1:${nodePort}`]));
  });

  test("its WebSocket, too", async () => {
    const ws = `wss://127.0.0.1:${nodePort}`;
    await start({ url: secure(), ws, tls: TLS, proxy: proxy.url });
    await expect.poll(() => subscribed, { timeout: 5000 }).toBeGreaterThan(0);
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT 127.0.0.1:${nodePort}`]));
  });

  test("a node without TLS is asked by the proxy", async () => {
    const at = await start({ url: `${plain.url}/with/path`, proxy: proxy.url });
    expect(await balance(at)).toMatchObject({ result: "0x2a" });
    expect(new Set(proxy.asked)).toEqual(new Set([`POST ${plain.url}/with/path`]));
  });

  test("a proxy that refuses is the reason why the node cannot be reached", async () => {
    proxy.status = 403;
    const at = await start({ url: secure(), tls: TLS, proxy: proxy.url });
    expect(await balance(at)).toMatchObject({ error: { message: "no upstream could answer" } });
    expect(JSON.stringify(await lastError(at))).toContain("PROXY_HTTP_403");
    expect(at.log()).not.toContain("ann:");
  });

  test("a proxy that is away is told as any address that cannot be reached", async () => {
    const { url } = proxy;
    await proxy.stop();
    const at = await start({ url: secure(), tls: TLS, proxy: url });
    expect(await balance(at)).toMatchObject({ error: { message: "no upstream could answer" } });
    expect(JSON.stringify(await lastError(at))).toContain("ECONNREFUSED");
    proxy = await startConnectProxy();
  });
});

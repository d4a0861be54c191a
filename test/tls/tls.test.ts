import { renameSync, writeFileSync } from "node:fs";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type CertificatePair, createAuthority } from "../support/certificates.ts";
import { type LimitedGateway, startLimitedGateway } from "../support/limited-gateway.ts";
import { asRaw, openRaw, readAnswers } from "../support/raw-connection.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { temporaryFolder } from "../support/written.ts";

const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';
const ANSWER = { jsonrpc: "2.0", id: 1, result: "0x1" };

const authority = createAuthority();
const ca = authority.cert;
const folder = temporaryFolder("tls");
const files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };

let node: StandInNode;
let gateway: LimitedGateway;
beforeAll(async () => {
  replace(authority.issue());
  node = await startStandInNode();
  gateway = await startLimitedGateway(node.url, {
    server: { tls: files },
    limits: { handshakeMs: 700, headersMs: 1000, bodyMs: 1000 },
  });
});
afterAll(async () => {
  await gateway.stop();
  await node.stop();
});

/** As tools that renew certificates do: written beside, then renamed over the old ones. */
function replace({ cert, key }: CertificatePair): void {
  writeFileSync(`${files.cert}.new`, cert);
  writeFileSync(`${files.key}.new`, key);
  renameSync(`${files.cert}.new`, files.cert);
  renameSync(`${files.key}.new`, files.key);
}

async function callOver(dispatcher: Agent, host = "127.0.0.1"): Promise<unknown> {
  const url = `https://${host}:${gateway.port}${gateway.path}`;
  const { body } = await request(url, { method: "POST", body: CALL, dispatcher });
  return body.json();
}

function callOnWebSocket(options: { readonly ca: string }): Promise<unknown> {
  const socket = new WebSocket(`wss://127.0.0.1:${gateway.port}${gateway.wsPath}`, options);
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("open", () => socket.send(CALL));
    socket.once("message", (data: Buffer) => {
      socket.terminate();
      resolve(JSON.parse(String(data)));
    });
  });
}

function handshake(options: object = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: gateway.port, host: "127.0.0.1", ca, ...options });
    socket.once("error", reject);
    socket.once("secureConnect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

async function serialNow(): Promise<string> {
  const socket = await handshake();
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

/** `localhost` may be ::1 first, and the gateway listens on 127.0.0.1. */
const loopback: LookupFunction = (_host, { all }, done) => {
  if (all === true) done(null, [{ address: "127.0.0.1", family: 4 }]);
  else done(null, "127.0.0.1", 4);
};

describe("a client that trusts the authority", () => {
  test.each(["127.0.0.1", "localhost"])("calls over https, at %s (undici)", async (host) => {
    const dispatcher = new Agent({ connect: { ca, lookup: loopback } });
    expect(await callOver(dispatcher, host)).toEqual(ANSWER);
    await dispatcher.close();
  });

  test("calls over https (node:https)", async () => {
    const agent = new HttpsAgent({ ca, keepAlive: true });
    const url = `https://127.0.0.1:${gateway.port}${gateway.path}`;
    const text = await new Promise<string>((resolve, reject) => {
      const call = httpsRequest(url, { method: "POST", agent }, (response) => {
        let body = "";
        response.on("data", (chunk) => {
          body += chunk;
        });
        response.on("end", () => resolve(body));
      });
      call.on("error", reject);
      call.end(CALL);
    });
    agent.destroy();
    expect(JSON.parse(text)).toEqual(ANSWER);
  });

  test("calls over wss", async () => {
    expect(await callOnWebSocket({ ca })).toEqual(ANSWER);
  });
});

describe("a client that trusts another authority", () => {
  const other = createAuthority().cert;
  test("gets no answer over https", async () => {
    const dispatcher = new Agent({ connect: { ca: other } });
    await expect(callOver(dispatcher)).rejects.toMatchObject({
      code: expect.stringMatching(/^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_SIGNATURE_FAILURE)$/),
    });
    await dispatcher.close();
  });
  test("gets no answer over wss", async () => {
    await expect(callOnWebSocket({ ca: other })).rejects.toMatchObject({
      code: expect.stringMatching(/^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_SIGNATURE_FAILURE)$/),
    });
  });
});

describe("a connection is closed, unanswered, that", { concurrent: true }, () => {
  test.each([
    ["never begins its handshake", ""],
    ["stops in the middle of its handshake", Buffer.from("16030100a5010000a10303", "hex")],
  ])("%s", async (_name, bytes) => {
    const begun = performance.now();
    const connection = await openRaw(gateway.port);
    connection.send(bytes);
    expect(await connection.closed).not.toContain("HTTP");
    const tookMs = performance.now() - begun;
    expect(tookMs).toBeGreaterThan(600);
    expect(tookMs).toBeLessThan(1600);
  });

  test("speaks HTTP without TLS", async () => {
    const connection = await openRaw(gateway.port);
    connection.send(`POST ${gateway.path} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`);
    expect(await connection.closed).not.toContain("HTTP");
  });

  test("knows no newer TLS than 1.1", async () => {
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" };
    await expect(handshake(old)).rejects.toThrow();
  });
});

test("a client that says nothing after its handshake gets 408", async () => {
  const connection = asRaw(await handshake());
  const [answer] = readAnswers(await connection.closed);
  expect(answer?.status).toBe(408);
});

test("an unfinished handshake holds up the end no longer than shutdownTimeoutMs", async () => {
  const server = { tls: files, shutdownTimeoutMs: 500 };
  const ending = await startLimitedGateway(node.url, { server });
  const connection = await openRaw(ending.port);
  connection.send(Buffer.from("16030100a5010000a10303", "hex"));
  await expect.poll(ending.metrics).toContain('tollgate_connections{transport="http"} 1');
  const begun = performance.now();
  await ending.stop();
  await connection.closed;
  expect(performance.now() - begun).toBeLessThan(5000);
});

describe("certificates that are replaced on the disk", () => {
  test("are used for new connections within 2 s, and open connections go on", async () => {
    const before = await serialNow();
    const open = new Agent({ connect: { ca }, connections: 1 });
    expect(await callOver(open)).toEqual(ANSWER);
    const keptOpen = new WebSocket(`wss://127.0.0.1:${gateway.port}${gateway.wsPath}`, { ca });
    await new Promise((resolve) => keptOpen.once("open", resolve));

    replace(authority.issue());
    await expect.poll(serialNow, { timeout: 5000, interval: 100 }).not.toBe(before);

    expect(await callOver(open)).toEqual(ANSWER);
    keptOpen.send(CALL);
    const [data] = await new Promise<Buffer[]>((resolve) =>
      keptOpen.once("message", (...args: Buffer[]) => resolve(args)),
    );
    expect(JSON.parse(String(data))).toEqual(ANSWER);
    keptOpen.terminate();
    await open.close();
  });

  test.each([
    ["are no certificates", () => ({ cert: "nothing", key: "nothing" })],
    [
      "do not belong together",
      () => ({ cert: authority.issue().cert, key: authority.issue().key }),
    ],
  ])("leave the old ones in use where they %s, and the log says so", async (_name, broken) => {
    const before = await serialNow();
    const told = () => gateway.log().split("the old ones stay").length;
    const logged = told();
    replace(broken());
    await expect.poll(told, { timeout: 5000 }).toBeGreaterThan(logged);
    expect(await serialNow()).toBe(before);
    expect(gateway.log()).not.toContain("PRIVATE KEY");

    replace(authority.issue());
    await expect.poll(serialNow, { timeout: 5000, interval: 100 }).not.toBe(before);
  });
});

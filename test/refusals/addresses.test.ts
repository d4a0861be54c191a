import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, CHAIN_ID } from "../http/ask.ts";
import { connect, refused } from "../websocket/client.ts";
import { type Grant, type Rig, startRig } from "./rig.ts";

let rig: Rig;
beforeAll(async () => {
  const websocket = { maxConnectionsPerKey: 1 };
  rig = await startRig({ trustProxy: ["127.0.0.1", "10.0.0.0/8"], websocket });
});
afterAll(() => rig.stop());

const wsUrl = (key: string, network = "net"): string =>
  `ws://127.0.0.1:${rig.gateway.port}/${network}/ws/v3/${key}`;
const opensWith = (key: string, headers: Record<string, string>): Promise<boolean> =>
  refused(wsUrl(key), headers).then(
    () => false,
    (error: Error) => error.message === "the upgrade was accepted",
  );

describe("no credits are told of where nobody is known, or nothing was called", () => {
  test.each([
    ["404: an unknown network", 404, (key: string) => ({ target: `/nope/v3/${key}` })],
    ["404: a path that goes on", 404, (key: string) => ({ target: `/net/v3/${key}/` })],
    ["404: the address for WebSocket", 404, (key: string) => ({ target: `/net/ws/v3/${key}` })],
    ["405: GET", 405, (key: string) => ({ method: "GET", target: `/net/v3/${key}` })],
    ["401: no key", 401, () => ({ target: "/net/v3" })],
  ])("%s", async (_name, status, question) => {
    const { key } = await rig.grant();
    const answer = await ask(rig.gateway.port, question(key));
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ id: null, error: { code: status } });
    const names = Object.keys(answer.headers).filter((name) => /credits|ratelimit/.test(name));
    expect(names).toEqual([]);
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
  });

  test.each([
    ["415", { "content-type": "text/plain" }],
    ["413", { "content-length": "5242881" }],
  ])("but %s, for a key that is known, tells what is left", async (status, headers) => {
    const { key } = await rig.grant();
    const body = "{".padEnd(status === "413" ? 5_242_881 : 1);
    const answer = await ask(rig.gateway.port, { target: `/net/v3/${key}`, headers, body });
    expect(answer.status).toBe(Number(status));
    expect(answer.headers).toMatchObject({
      "x-credits-charged": "0",
      "x-credits-remaining": "1000000",
    });
  });
});

describe("an upgrade", () => {
  test("to an unknown network is 404, and one more than a key may have 429", async () => {
    const { key } = await rig.grant();
    expect((await refused(wsUrl(key, "nope"))).status).toBe(404);
    const client = await connect(wsUrl(key));
    const { status, answer, headers } = await refused(wsUrl(key));
    expect({ status, after: headers["retry-after"] }).toEqual({ status: 429, after: "1" });
    const details = "1 WebSockets are open with this key";
    expect(answer).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code: 429, message: "Too Many Requests", details },
    });
    client.socket.close();
    await client.closed;
  });
});

describe("behind a trusted proxy the client's address is the one that it forwards for", () => {
  const allow: Grant = { allow: { ip: ["192.0.2.0/24", "2001:db8::/32"] } };

  test.each([
    ["a listed address", "192.0.2.7", true],
    ["a listed address of the other family", "2001:db8::7", true],
    ["a listed one, mapped into IPv6, with a port", "[::ffff:192.0.2.7]:4711", true],
    ["behind a second trusted proxy", "192.0.2.7, 10.1.2.3", true],
    ["an address that is not listed", "198.51.100.7", false],
    ["a listed address that the client made up", "192.0.2.7, 198.51.100.7", false],
    ["no address", "192.0.2.7, unknown", false],
    ["nothing forwarded: the proxy's own", "", false],
  ])("%s", async (_name, forwardedFor, served) => {
    const { key } = await rig.grant(allow);
    const headers = { "X-Forwarded-For": forwardedFor };
    const { status } = await ask(rig.gateway.port, { target: `/net/v3/${key}`, headers });
    expect(status).toBe(served ? 200 : 403);
    expect(await opensWith(key, headers)).toBe(served);
  });
});

describe("every other kind of list lets in what is listed, over both transports", () => {
  test.each<[string, Grant["allow"], Record<string, string>]>([
    ["network", { network: ["net"] }, {}],
    ["origin", { origin: ["https://*.example.com"] }, { Origin: "https://app.example.com" }],
    ["agent", { agent: ["nothing", "my-app/2"] }, { "User-Agent": "Mozilla my-app/2.1" }],
    ["method", { method: ["eth_chainId"] }, {}],
    ["contract", { contract: [`0x${"a".repeat(40)}`] }, {}],
  ])("%s", async (_name, allow, headers) => {
    const { key } = await rig.grant({ allow: allow ?? {} });
    const { status } = await ask(rig.gateway.port, { target: `/net/v3/${key}`, headers });
    expect(status).toBe(200);
    expect(await opensWith(key, headers)).toBe(true);
  });
});

describe("a page in a browser", () => {
  const origins: Grant = {
    allow: { origin: ["https://app.example.com", "https://*.example.org"] },
  };
  const send = (key: string, method: string, origin: string) =>
    ask(rig.gateway.port, {
      method,
      target: `/net/v3/${key}`,
      headers: { Origin: origin, "Access-Control-Request-Headers": "content-type,x-min-block" },
      body: CHAIN_ID,
    });

  test.each([
    ["https://app.example.com", true],
    ["https://b.a.example.org", true],
    ["https://example.org", false],
    ["http://app.example.com", false],
    ["null", false],
  ])("of %s is shown answers only where the key's list has it: %s", async (origin, listed) => {
    const { key } = await rig.grant(origins);
    for (const method of ["POST", "OPTIONS"]) {
      const { status, headers } = await send(key, method, origin);
      expect(status).toBe(method === "OPTIONS" ? 204 : listed ? 200 : 403);
      expect(headers["access-control-allow-origin"]).toBe(listed ? origin : undefined);
      const varies = method === "OPTIONS" ? "Origin, Access-Control-Request-Headers" : "Origin";
      expect(headers.vary).toBe(varies);
    }
  });

  test("of any origin is shown the answers of a key without a list, preflights included", async () => {
    const { key } = await rig.grant();
    const preflight = await send(key, "OPTIONS", "https://anybody.example");
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "POST, OPTIONS",
      "access-control-allow-headers": "content-type,x-min-block",
    });
    const { headers } = await send(key, "POST", "https://anybody.example");
    expect(headers["access-control-allow-origin"]).toBe("*");
    expect(headers.vary).toBeUndefined();
  });
});

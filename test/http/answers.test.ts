import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { type Answer, ask, CHAIN_ID } from "./ask.ts";

let node: StandInNode;
let gateway: TestGateway;
let target: string;

const open = (): Promise<TestGateway> => {
  const upstreams = [{ name: "node", url: node.url }];
  return startTestGateway({ networks: [{ name: "net", family: "evm", chainId: 1, upstreams }] });
};

beforeAll(async () => {
  node = await startStandInNode();
  gateway = await open();
  target = `/net/v3/${gateway.key}`;
});
afterAll(async () => {
  await gateway.stop();
  await node.stop();
});
beforeEach(() => {
  node.reply = () => ({ result: "0x10" });
});

const EXPOSED = [
  ...["X-Request-Id", "Retry-After", "X-Served-By", "X-Block"],
  ...["X-Credits-Charged", "X-Credits-Remaining", "X-Credits-Reset"],
  ...["RateLimit-Policy", "RateLimit"],
].join(", ");
const CREDIT_HEADERS = EXPOSED.toLowerCase().split(", ").slice(4);

/** Without what no two answers have in common; those about credits have tests of their own. */
const steady = ({ headers, status }: Answer) => {
  const { "x-request-id": id, date, connection, ...rest } = headers;
  expect(id).toMatch(/^[\w.-]{1,64}$/);
  expect(date).toBeDefined();
  const credits = Object.keys(rest).filter((name) => CREDIT_HEADERS.includes(name));
  const known =
    [200, 415].includes(status) || (status === 204 && !("access-control-max-age" in rest));
  expect(credits).toEqual(known ? CREDIT_HEADERS : []);
  return Object.fromEntries(Object.entries(rest).filter(([name]) => !credits.includes(name)));
};

describe("every answer has its headers", () => {
  const json = (text: string) => ({
    "access-control-allow-origin": "*",
    "access-control-expose-headers": EXPOSED,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(text)),
  });

  test("a result", async () => {
    const answer = await ask(gateway.port, { target });
    expect(steady(answer)).toEqual(json(answer.text));
  });

  test("an error, with text beyond ASCII", async () => {
    const body = '{"jsonrpc":"2.0","id":"é","method":"ü😀"}';
    const answer = await ask(gateway.port, { target, body });
    expect(steady(answer)).toEqual(json(answer.text));
    expect(JSON.parse(answer.text).error.message).toContain("ü😀");
  });

  test("nothing: 204 without a type or a length", async () => {
    const body = '{"jsonrpc":"2.0","method":"eth_chainId"}';
    const answer = await ask(gateway.port, { target, body });
    expect(answer.status).toBe(204);
    expect(answer.text).toBe("");
    expect(steady(answer)).toEqual({
      "access-control-allow-origin": "*",
      "access-control-expose-headers": EXPOSED,
    });
  });

  test.each([
    [401, "/net/v3/x", {}],
    [404, "/nope", {}],
    [400, "/net/v3/x#", {}],
    [415, "KEY", { "Content-Type": "text/plain" }],
  ])("a refusal with %i: readable by a page, no Retry-After", async (status, path, headers) => {
    const answer = await ask(gateway.port, { target: path === "KEY" ? target : path, headers });
    expect(answer.status).toBe(status);
    expect(steady(answer)).toEqual(json(answer.text));
  });
});

describe("a preflight", () => {
  const preflight = (path: string, headers: Record<string, string> = {}) =>
    ask(gateway.port, {
      method: "OPTIONS",
      target: path,
      headers: { Origin: "https://a.example", "Access-Control-Request-Method": "POST", ...headers },
    });

  test("is answered for every address that names a network, whatever its key", async () => {
    for (const path of [target, "/net/v3/unknown", "/net/v3"]) {
      const answer = await preflight(path);
      expect(answer.status).toBe(204);
      expect(answer.text).toBe("");
      expect(steady(answer)).toEqual({
        "access-control-allow-origin": "*",
        "access-control-allow-methods": "POST, OPTIONS",
        "access-control-allow-headers": "content-type",
        "access-control-max-age": "86400",
        vary: "Access-Control-Request-Headers",
      });
    }
  });

  test("allows the headers that the page asks for", async () => {
    const wanted = "content-type, x-min-block, solana-client";
    const { headers } = await preflight(target, { "Access-Control-Request-Headers": wanted });
    expect(headers["access-control-allow-headers"]).toBe(wanted);
  });

  test("of an address that names none is 404, readable by the page", async () => {
    const answer = await preflight("/nope/v3/x");
    expect(answer.status).toBe(404);
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
  });
});

describe("X-Request-Id", () => {
  const idOf = async (given?: string): Promise<string> => {
    const headers = given === undefined ? {} : { "X-Request-Id": given };
    return String((await ask(gateway.port, { target, headers })).headers["x-request-id"]);
  };

  test("is another for every request", async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, () => idOf()));
    expect(new Set(ids).size).toBe(50);
  });

  test.each(["abc", "A.b_c-9", "x".repeat(64)])("a well-formed one is echoed: %s", async (id) => {
    expect(await idOf(id)).toBe(id);
  });

  test.each(["", "a b", "a,b", "x".repeat(65), "é", '"', "tg_6abcdefgh"])(
    "any other is replaced: %s",
    async (id) => {
      const own = await idOf(id);
      expect(own).not.toBe(id);
      expect(own).toMatch(/^[\w.-]{1,64}$/);
    },
  );

  test("finds the log line of a call that failed", async () => {
    node.reply = () => ({ body: "down", status: 500 });
    const body = CHAIN_ID.replace("eth_chainId", "eth_gasPrice");
    await ask(gateway.port, { target, body, headers: { "X-Request-Id": "find-me" } });
    const line = gateway
      .log()
      .split("\n")
      .find((each) => each.includes('"find-me"'));
    expect(JSON.parse(line ?? "{}")).toMatchObject({ network: "net", outcome: "unavailable" });
  });
});

describe("where no upstream answers", () => {
  const good = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`;
  const bad = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"eth_gasPrice"}`;
  const result = (id: number) => ({ jsonrpc: "2.0", id, result: "0x1" });
  const failed = (id: number | null) => ({
    jsonrpc: "2.0",
    id,
    error: { code: -32603, message: "no upstream could answer" },
  });
  const send = async (body: string) => {
    const { status, headers, text } = await ask(gateway.port, { target, body });
    return { status, retryAfter: headers["retry-after"], answer: JSON.parse(text) };
  };

  beforeEach(() => {
    node.reply = () => ({ body: "<h1>bad gateway</h1>", status: 502 });
  });

  test("a call is 503 with its id and Retry-After", async () => {
    expect(await send(bad(5))).toEqual({ status: 503, retryAfter: "1", answer: failed(5) });
  });

  test("a batch of such calls alone is 503 and one object", async () => {
    for (const batch of [[bad(1)], [bad(1), bad(2), bad(3)]]) {
      const { status, retryAfter, answer } = await send(`[${batch}]`);
      expect({ status, retryAfter, answer }).toEqual({
        status: 503,
        retryAfter: "1",
        answer: failed(null),
      });
    }
  });

  test("notifications do not save such a batch", async () => {
    const { status, answer } = await send(`[${bad(1)},{"jsonrpc":"2.0","method":"eth_syncing"}]`);
    expect({ status, answer }).toEqual({ status: 503, answer: failed(null) });
  });

  test("in a batch with other answers the error stands in its place, with 200", async () => {
    const { status, retryAfter, answer } = await send(`[${bad(1)},${good(2)},${bad(3)}]`);
    expect({ status, retryAfter }).toEqual({ status: 200, retryAfter: undefined });
    expect(answer).toEqual([failed(1), result(2), failed(3)]);
    const mixed = await send(`[${bad(1)},{}]`);
    expect(mixed.status).toBe(200);
    expect(mixed.answer).toHaveLength(2);
  });

  test("what needs no upstream is answered", async () => {
    expect(await send(good(1))).toEqual({ status: 200, retryAfter: undefined, answer: result(1) });
  });

  test("the node's own words and address reach no client", async () => {
    const { text } = await ask(gateway.port, { target, body: bad(1) });
    expect(text).not.toMatch(/gateway<|127\.0\.0\.1|node/);
    expect(gateway.log()).not.toContain(gateway.key);
    expect(gateway.log()).not.toContain(node.url);
  });
});

describe("what stays inside", () => {
  const body = CHAIN_ID.replace("eth_chainId", "eth_gasPrice");

  test("no header of a client reaches a node", async () => {
    const before = node.requests.length;
    await ask(gateway.port, {
      target: `${target}?secret=1`,
      body,
      headers: {
        Authorization: "Bearer client",
        Cookie: "a=b",
        "X-Forwarded-For": "1.2.3.4",
        "X-Request-Id": "mine",
        "Accept-Encoding": "gzip",
        "User-Agent": "client",
      },
    });
    const { headers, text } = node.requests[before] ?? {};
    expect(Object.keys(headers ?? {}).sort()).toEqual([
      "connection",
      "content-length",
      "content-type",
      "host",
    ]);
    expect(text).toMatch(/^\{"jsonrpc":"2.0","id":\d+,"method":"eth_gasPrice","params":\[\]\}$/);
  });

  test("an address or a key in a node's words reaches neither the client nor the log", async () => {
    const { http, key, log, port, stop } = await open();
    const message = `upstream https://node.example/secret-path failed for ${key}`;
    for (const reply of [
      { error: { code: -31999, message } },
      { error: { code: -32005, message }, status: 429 },
      { body: message, status: 500 },
    ]) {
      node.reply = () => reply;
      const { text } = await ask(port, { target: new URL(http()).pathname, body });
      expect([-31999, -32603]).toContain(JSON.parse(text).error.code);
      for (const words of [text, log()]) {
        expect(words).not.toContain("node.example");
        expect(words).not.toContain("secret-path");
        expect(words).not.toContain(key);
      }
    }
    expect(log()).toContain("https://[redacted]");
    await stop();
  });
});

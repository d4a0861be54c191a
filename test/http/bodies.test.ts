import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { openRaw, type RawConnection, readAnswers } from "../support/raw-connection.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { ask, CHAIN_ID, refusalOf } from "./ask.ts";

let node: StandInNode;
let gateway: TestGateway;
let target: string;

beforeAll(async () => {
  node = await startStandInNode(() => ({ result: "0x10" }));
  const upstreams = [{ name: "node", url: node.url }];
  gateway = await startTestGateway({
    networks: [{ name: "net", family: "evm", chainId: 1, upstreams }],
  });
  target = `/net/v3/${gateway.key}`;
});
afterAll(async () => {
  await gateway.stop();
  await node.stop();
});

const LIMIT = 5 * 1024 * 1024;
const OK = { jsonrpc: "2.0", id: 1, result: "0x1" };
const notJson = refusalOf(415, "Unsupported Media Type", "send Content-Type: application/json");
const encoded = refusalOf(415, "Unsupported Media Type", "send the body without Content-Encoding");
const tooLarge = refusalOf(413, "Payload Too Large", "a body has at most 5242880 bytes");
const padded = (sizeBytes: number) => CHAIN_ID.padEnd(sizeBytes);

describe("the content type", () => {
  test.each([
    "application/json",
    "APPLICATION/JSON",
    "application/json-rpc",
    "Application/JSON-RPC; charset=utf-8",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    "application/json ; charset=iso-8859-1; odd",
  ])("%s is taken", async (type) => {
    const { status, text } = await ask(gateway.port, { target, headers: { "Content-Type": type } });
    expect({ status, answer: JSON.parse(text) }).toEqual({ status: 200, answer: OK });
  });

  test("none is taken", async () => {
    expect(JSON.parse((await ask(gateway.port, { target })).text)).toEqual(OK);
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "text/json",
    "multipart/form-data; boundary=application/json",
    ", application/json",
    "json",
  ])("%s is 415", async (type) => {
    const { status, text } = await ask(gateway.port, { target, headers: { "Content-Type": type } });
    expect({ status, answer: JSON.parse(text) }).toEqual({ status: 415, answer: notJson });
  });

  test.each(["identity", "Identity"])("Content-Encoding: %s is taken", async (coding) => {
    const headers = { "Content-Encoding": coding };
    expect(JSON.parse((await ask(gateway.port, { target, headers })).text)).toEqual(OK);
  });

  test.each(["gzip", "identity, gzip", "br", "x"])(
    "any other Content-Encoding is 415: %s",
    async (coding) => {
      const headers = { "Content-Encoding": coding };
      const body = coding === "gzip" ? gzipSync(CHAIN_ID) : CHAIN_ID;
      const { status, text } = await ask(gateway.port, { target, headers, body });
      expect({ status, answer: JSON.parse(text) }).toEqual({ status: 415, answer: encoded });
    },
  );
});

describe("the size of a body", () => {
  test("5 MiB are served, by length and in chunks", async () => {
    const body = padded(LIMIT);
    expect(JSON.parse((await ask(gateway.port, { target, body })).text)).toEqual(OK);
    const headers = { "Transfer-Encoding": "chunked" };
    expect(JSON.parse((await ask(gateway.port, { target, body, headers })).text)).toEqual(OK);
  });

  test.each([
    ["by its Content-Length", {}],
    ["in chunks", { "Transfer-Encoding": "chunked" }],
  ])("one byte more is 413, readable by the client, %s", async (_name, headers) => {
    const { status, text } = await ask(gateway.port, { target, headers, body: padded(LIMIT + 1) });
    expect({ status, answer: JSON.parse(text) }).toEqual({ status: 413, answer: tooLarge });
  });

  test("a body that never ends is answered with 413 and then cut off", async () => {
    const raw = await openRaw(gateway.port);
    raw.send(`POST ${target} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const chunk = Buffer.from(`100000\r\n${" ".repeat(0x100000)}\r\n`);
    const more = (): void => {
      if (raw.socket.writable) raw.socket.write(chunk, more);
    };
    more();
    const [answer] = readAnswers(await raw.closed);
    expect(answer?.status).toBe(413);
  });
});

/** Sends the bytes and gives the answers once there are as many. */
async function exchange(bytes: string | string[], count: number): Promise<string[]> {
  const raw = await openRaw(gateway.port);
  for (const part of [bytes].flat()) raw.send(part);
  const answers = await answersOf(raw, count);
  raw.socket.destroy();
  return answers.map(({ status, body }) => `${status} ${body}`);
}

const answersOf = (raw: RawConnection, count: number) =>
  vi.waitFor(
    () => {
      const answers = readAnswers(raw.received());
      expect(answers).toHaveLength(count);
      return answers;
    },
    { timeout: 5000, interval: 5 },
  );

const post = (body: string, more = ""): string =>
  `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`;
const numbered = (id: number, method = "eth_chainId") =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`;
const answered = (id: number, result = "0x1") =>
  `200 {"jsonrpc":"2.0","id":${id},"result":"${result}"}`;

describe("HTTP itself", () => {
  test("many requests on one connection, one after another", async () => {
    const raw = await openRaw(gateway.port);
    for (let id = 1; id <= 20; id += 1) {
      raw.send(post(numbered(id)));
      await answersOf(raw, id);
    }
    const answers = readAnswers(raw.received());
    expect(answers.map(({ status, body }) => `${status} ${body}`)).toEqual(
      answers.map((_, index) => answered(index + 1)),
    );
    raw.socket.destroy();
  });

  test("pipelined requests are answered in their order, whichever is ready first", async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    node.reply = async () => {
      await gate;
      return { result: "0x10" };
    };
    const raw = await openRaw(gateway.port);
    raw.send(post(numbered(1, "eth_gasPrice")) + post(numbered(2)) + post("[") + post("[]"));
    raw.send(post('{"jsonrpc":"2.0","method":"eth_chainId"}') + post(numbered(3)));
    await vi.waitFor(() => expect(node.requests).toHaveLength(1), { interval: 5 });
    open();
    const answers = await answersOf(raw, 6);
    expect(answers.map(({ status, body }) => `${status} ${body}`.slice(0, 70))).toEqual([
      answered(1, "0x10"),
      answered(2),
      '200 {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}'.slice(
        0,
        70,
      ),
      '200 {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"empty batch"}}'.slice(
        0,
        70,
      ),
      "204 ",
      answered(3),
    ]);
    raw.socket.destroy();
  });

  test("a request that comes byte for byte is a request", async () => {
    expect(await exchange([...post(numbered(7))], 1)).toEqual([answered(7)]);
  });

  test("a connection goes on after a refusal", async () => {
    const bad = `POST /nope HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello`;
    const [first, second] = await exchange(bad + post(numbered(2)), 2);
    expect(first).toMatch(/^404 /);
    expect(second).toBe(answered(2));
  });

  test("HTTP/1.0 is answered, without a Host header too, and closed", async () => {
    const raw = await openRaw(gateway.port);
    raw.send(`POST ${target} HTTP/1.0\r\nContent-Length: ${CHAIN_ID.length}\r\n\r\n${CHAIN_ID}`);
    const [answer] = readAnswers(await raw.closed);
    expect(JSON.parse(answer?.body ?? "")).toEqual(OK);
  });

  test("HTTP/1.1 without a Host header is 400", async () => {
    const bytes = `POST ${target} HTTP/1.1\r\nContent-Length: 0\r\n\r\n`;
    const refusal = JSON.stringify(refusalOf(400, "Bad Request", "no Host header"));
    expect(await exchange(bytes, 1)).toEqual([`400 ${refusal}`]);
  });

  test("Connection: close is the last answer", async () => {
    const raw = await openRaw(gateway.port);
    raw.send(post(numbered(1), "Connection: close\r\n"));
    const [answer] = readAnswers(await raw.closed);
    expect(`${answer?.status} ${answer?.body}`).toBe(answered(1));
  });
});

describe("Expect: 100-continue", () => {
  const head = (length: number) =>
    `POST ${target} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;

  test("is told to go on, then answered", async () => {
    const raw = await openRaw(gateway.port);
    raw.send(head(CHAIN_ID.length));
    const [go] = await answersOf(raw, 1);
    expect(go?.status).toBe(100);
    raw.send(CHAIN_ID);
    const [, answer] = await answersOf(raw, 2);
    expect(JSON.parse(answer?.body ?? "")).toEqual(OK);
    raw.socket.destroy();
  });

  test("is refused before the body where the headers are enough to tell", async () => {
    expect((await exchange(head(LIMIT + 1), 1))[0]).toMatch(/^413 /);
    expect((await exchange(head(9).replace(gateway.key, "no-key"), 1))[0]).toMatch(/^401 /);
  });
});

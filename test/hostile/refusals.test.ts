import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type LimitedGateway, startLimitedGateway } from "../support/limited-gateway.ts";
import {
  openRaw,
  type RawAnswer,
  type RawConnection,
  readAnswers,
} from "../support/raw-connection.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";

const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_getCode","params":["0x","latest"]}';
const SMUGGLED = `POST /node/v3/x HTTP/1.1\r\nHost: a\r\nContent-Length: ${CALL.length}\r\n\r\n${CALL}`;

let node: StandInNode;
let gateway: LimitedGateway;
beforeAll(async () => {
  node = await startStandInNode();
  gateway = await startLimitedGateway(node.url);
});
afterAll(async () => {
  await gateway.stop();
  await node.stop();
});
afterEach(() => {
  expect(node.requests, "a node was asked").toHaveLength(0);
});

/** Sends the bytes and waits until the gateway has closed the connection. */
async function sendAll(...parts: (string | Buffer)[]): Promise<RawConnection> {
  const connection = await openRaw(gateway.port);
  for (const part of parts) connection.send(part);
  await connection.closed;
  return connection;
}

function expectRefusal(answers: RawAnswer[], status: number, error: object): void {
  expect(answers.map((answer) => answer.status)).toEqual([status]);
  const [{ head, body }] = answers as [RawAnswer];
  expect(head).toMatch(/\r\nContent-Type: application\/json(\r\n|$)/);
  expect(JSON.parse(body)).toEqual({ jsonrpc: "2.0", id: null, error });
}

const post = (headers: readonly string[], body = ""): string =>
  `${[`POST ${gateway.path} HTTP/1.1`, "Host: a", ...headers].join("\r\n")}\r\n\r\n${body}`;

const chunked = (body: string): string => post(["Transfer-Encoding: chunked"], body);

describe("what is no HTTP/1.1 request is refused with 400 and closed", () => {
  const cases: Record<string, () => string | Buffer> = {
    "random bytes": () => Buffer.from("00ff17a9c3010203fffe0d0a0d0a", "hex"),
    "a TLS handshake": () => Buffer.from("16030100a5010000a10303", "hex"),
    "the preface of HTTP/2": () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "HTTP/3.0": () => `POST ${gateway.path} HTTP/3.0\r\nHost: a\r\n\r\n`,
    "a method that nobody knows": () => `PWN ${gateway.path} HTTP/1.1\r\nHost: a\r\n\r\n`,
    "a target with a space": () => "POST /node /v3 HTTP/1.1\r\nHost: a\r\n\r\n",
    "lines that end with LF alone": () =>
      `POST ${gateway.path} HTTP/1.1\nHost: a\nContent-Length: 0\n\n`,
    "one line that ends with LF alone": () => post(["X-A: b\nX-C: d"]),
    "a bare CR in a header": () => post(["X-A: b\rX-C: d"]),
    "a NUL in a header": () => post(["X-A: b\0"]),
    "a header without a name": () => post([": b"]),
    "a header without a colon": () => post(["X-A"]),
    "a space before a colon": () => post(["Content-Length : 5"], "hello"),
    "a folded header": () => post(["X-A: b", " c"]),
    "a folded Transfer-Encoding": () => post(["Transfer-Encoding:", " chunked"], "0\r\n\r\n"),
    "Content-Length and Transfer-Encoding": () =>
      post(["Content-Length: 5", "Transfer-Encoding: chunked"], `0\r\n\r\n${SMUGGLED}`),
    "Transfer-Encoding and Content-Length": () =>
      post(["Transfer-Encoding: chunked", "Content-Length: 5"], `0\r\n\r\n${SMUGGLED}`),
    "two Content-Lengths": () => post(["Content-Length: 5", "Content-Length: 6"], "hello!"),
    "two equal Content-Lengths": () => post(["Content-Length: 5", "Content-Length: 5"], "hello"),
    "a list of Content-Lengths": () => post(["Content-Length: 5, 5"], "hello"),
    "a signed Content-Length": () => post(["Content-Length: +5"], "hello"),
    "a negative Content-Length": () => post(["Content-Length: -5"], "hello"),
    "a hexadecimal Content-Length": () => post(["Content-Length: 0x5"], "hello"),
    "an empty Content-Length": () => post(["Content-Length:"], "hello"),
    "a Content-Length beyond 64 bits": () => post([`Content-Length: ${2n ** 64n + 5n}`], "hello"),
    "chunked twice": () => post(["Transfer-Encoding: chunked, chunked"], "0\r\n\r\n"),
    "chunked that is not the last coding": () =>
      post(["Transfer-Encoding: chunked, identity"], "0\r\n\r\n"),
    "an unknown coding": () => post(["Transfer-Encoding: xchunked"], "0\r\n\r\n"),
    "a chunk size that is no number": () => chunked("zz\r\nhello\r\n0\r\n\r\n"),
    "a negative chunk size": () => chunked("-5\r\nhello\r\n0\r\n\r\n"),
    "a chunk size with a prefix": () => chunked("0x5\r\nhello\r\n0\r\n\r\n"),
    "a chunk size beyond 64 bits": () => chunked("10000000000000005\r\nhello\r\n0\r\n\r\n"),
    "a chunk longer than its size": () => chunked("5\r\nhello!!\r\n0\r\n\r\n"),
    "a chunk line that ends with LF alone": () => chunked("5\nhello\r\n0\r\n\r\n"),
    "an endless chunk extension": () => chunked(`5;${"a".repeat(40_000)}\r\nhello\r\n0\r\n\r\n`),
  };

  test.each(Object.keys(cases))("%s", async (name) => {
    const connection = await sendAll(cases[name]?.() ?? "", SMUGGLED);
    expectRefusal(readAnswers(connection.received()), 400, { code: 400, message: "Bad Request" });
  });
});

describe("headers over 16 KiB are refused with 431 and closed", () => {
  const cases: Record<string, () => string> = {
    "one long header": () => post([`X-A: ${"a".repeat(20_000)}`]),
    "a long target": () => `POST /${"a".repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    "thousands of headers": () => post(Array.from({ length: 5_000 }, (_, i) => `X-${i}: ${i}`)),
    "trailers after the last chunk": () =>
      chunked(`0\r\n${"X-Trailer: aaaaaaaaaa\r\n".repeat(2_000)}\r\n`),
  };
  test.each(Object.keys(cases))("%s", async (name) => {
    const connection = await sendAll(cases[name]?.() ?? "", SMUGGLED);
    expectRefusal(readAnswers(connection.received()), 431, {
      code: 431,
      message: "Request Header Fields Too Large",
      details: "the headers have at most 16384 bytes",
    });
  });

  test("headers without an end, while they are still sent", async () => {
    const connection = await openRaw(gateway.port);
    connection.send(`POST ${gateway.path} HTTP/1.1\r\n`);
    const flood = setInterval(() => connection.send("X-Flood: 0123456789\r\n".repeat(500)), 1);
    const text = await connection.closed;
    clearInterval(flood);
    expect(readAnswers(text)[0]).toMatchObject({ status: 431 });
  });
});

describe("bodies over 5 MiB are refused with 413", () => {
  const error = {
    code: 413,
    message: "Payload Too Large",
    details: "a body has at most 5242880 bytes",
  };
  const MIB = Buffer.alloc(1024 * 1024, " ");
  const LAST = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

  test("at once where a Content-Length says so", async () => {
    const connection = await openRaw(gateway.port);
    connection.send(post(["Content-Length: 5242881"]));
    await new Promise((resolve) => connection.socket.once("data", resolve));
    expectRefusal(readAnswers(connection.received()), 413, error);
    connection.socket.destroy();
  });

  test("and read to their end, so that the client sees the answer and can go on", async () => {
    const chunk = Buffer.concat([Buffer.from("100000\r\n"), MIB, Buffer.from("\r\n")]);
    const forms = [
      [post(["Content-Length: 6291456"]), ...Array(6).fill(MIB)],
      [chunked(""), ...Array(6).fill(chunk), "0\r\n\r\n"],
    ];
    for (const parts of forms) {
      const connection = await sendAll(...parts, LAST);
      const [refusal, last] = readAnswers(connection.received()) as [RawAnswer, RawAnswer];
      expectRefusal([refusal], 413, error);
      expect(last.status).toBe(404);
    }
  });

  test.each(["chunks", "one chunk"])(
    "without an end, and are closed after 20 MiB, as %s",
    async (form) => {
      const connection = await openRaw(gateway.port);
      connection.send(chunked(form === "chunks" ? "" : "ffffffffffff\r\n"));
      const bytes = form === "chunks" ? Buffer.from(`100000\r\n${MIB}\r\n`) : MIB;
      let open = true;
      const sending = (async () => {
        while (open) {
          await new Promise((resolve) => setImmediate(resolve));
          if (!connection.socket.writableNeedDrain) connection.send(bytes);
        }
      })();
      const text = await connection.closed;
      open = false;
      await sending;
      expectRefusal(readAnswers(text), 413, error);
      expect(connection.socket.bytesWritten).toBeLessThan(64 * 1024 * 1024);
    },
  );
});

test("a client that still sends, and reads later, finds its refusal", async () => {
  const connection = await openRaw(gateway.port);
  connection.socket.pause();
  connection.send("nonsense\r\n\r\n");
  for (let turn = 0; turn < 10; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    connection.send(Buffer.alloc(100_000));
  }
  connection.socket.resume();
  const answers = readAnswers(await connection.closed);
  expectRefusal(answers, 400, { code: 400, message: "Bad Request" });
});

test("a proxy's CONNECT is refused with 405 and closed, even where the client resets", async () => {
  const text = "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n";
  const hasty = await openRaw(gateway.port);
  hasty.send(text);
  hasty.socket.resetAndDestroy();
  const connection = await sendAll(text);
  expectRefusal(readAnswers(connection.received()), 405, {
    code: 405,
    message: "Method Not Allowed",
    details: "send calls by POST",
  });
});

test("an expectation that nobody knows is ignored", async () => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';
  const headers = ["Expect: 200-ok", "Connection: close", `Content-Length: ${body.length}`];
  const connection = await sendAll(post(headers, body));
  expect(connection.received()).toContain('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
});

test("a good call before bytes that are none gets its own answer", async () => {
  node.reply = async () => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    return { resultText: '"0x6001"' };
  };
  const body =
    '{"jsonrpc":"2.0","id":7,"method":"eth_getCode","params":["0x00000000000000000000000000000000000000aa","latest"]}';
  const connection = await sendAll(post([`Content-Length: ${body.length}`], body), "\0\0\0\0");
  const answers = readAnswers(connection.received());
  expect(answers.map(({ status, body }) => [status, JSON.parse(body)])).toEqual([
    [200, { jsonrpc: "2.0", id: 7, result: "0x6001" }],
    [400, { jsonrpc: "2.0", id: null, error: { code: 400, message: "Bad Request" } }],
  ]);
  (node.requests as unknown[]).length = 0;
});

import { once } from "node:events";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { DEFAULT_WIRE } from "../../src/config/default-wire.ts";
import { call } from "../envelope/table.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { openRaw, type RawAnswer, readAnswers } from "../support/raw-connection.ts";
import { type NodeRequest, type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { ask } from "./ask.ts";
import { openOn, WIRES, type Wire, withoutChance } from "./wires.ts";

const CODINGS = ["gzip", "br", "zstd"] as const;
const UNPACK = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };

let node: StandInNode;
let gateway: TestGateway;
let path: string;

beforeAll(async () => {
  node = await startStandInNode(answerTo);
  node.head = 0x100;
  const upstreams = [{ name: "node", url: node.url }];
  gateway = await startTestGateway({
    cache: { memoryBytes: 64_000_000 },
    networks: [{ name: "net", family: "evm", chainId: 1, upstreams }],
  });
  path = `/net/v3/${gateway.key}`;
});
afterAll(async () => {
  await gateway?.stop();
  await node?.stop();
});

/** The code of an address has as many bytes as the address's last digits say. */
function answerTo({ params }: NodeRequest) {
  const [address = ""] = params as readonly string[];
  return { resultText: codeOf(Number(address.slice(-6))) };
}

function codeOf(bytes: number): string {
  return `"0x${"5b01".repeat(bytes / 2)}"`;
}

/** As if nobody had asked for it before: each has an address of its own. */
let addresses = 0;
function codeCall(bytes: number, id = "1"): string {
  addresses += 1;
  const address = `0x${String(addresses).padStart(34, "a")}${String(bytes).padStart(6, "0")}`;
  return call(id, "eth_getCode", `["${address}","0x10"]`);
}

const answerOf = (bytes: number, id = "1") =>
  `{"jsonrpc":"2.0","id":${id},"result":${codeOf(bytes)}}`;

function post(body: string, accepted: readonly string[]): string {
  const fields = accepted.map((value) => `Accept-Encoding: ${value}\r\n`).join("");
  return `POST ${path} HTTP/1.1\r\nHost: a\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`;
}

/** All requests in one write; their answers in the order in which they came. */
async function answersOn(wire: Wire, requests: readonly string[]): Promise<RawAnswer[]> {
  const raw = await openOn(wire, gateway.port, path);
  raw.send(requests.join(""));
  const answers = await vi.waitFor(
    () => {
      const come = readAnswers(raw.received());
      expect(come).toHaveLength(requests.length);
      return come;
    },
    { interval: 2, timeout: 10_000 },
  );
  raw.socket.destroy();
  return answers;
}

function fieldOf({ head }: RawAnswer, name: string): string | undefined {
  return new RegExp(`^${name}: (.*)\r?$`, "m").exec(head)?.[1];
}

/** What the client reads in the end. */
function textOf(answer: RawAnswer): string {
  const coding = fieldOf(answer, "Content-Encoding") as keyof typeof UNPACK | undefined;
  if (coding === undefined) return answer.body;
  return UNPACK[coding](Buffer.from(answer.body, "latin1")).toString("latin1");
}

describe.each(WIRES)("on a %s connection", (wire) => {
  test.each(CODINGS)("a large answer in %s has the plain one's bytes and fields", async (name) => {
    const body = codeCall(50_000);
    const [plain] = await answersOn(wire, [post(body, [])]);
    expect(plain?.body).toBe(answerOf(50_000));
    // From a node, then kept; deflated, then only spliced.
    for (let times = 0; times < 5; times++) {
      const [answer] = await answersOn(wire, [post(body, [name])]);
      if (answer === undefined || plain === undefined) throw new Error("no answer");
      expect(fieldOf(answer, "Content-Encoding")).toBe(name);
      expect(fieldOf(answer, "Vary")).toBe("Accept-Encoding");
      expect(answer.body.length).toBeLessThan(2000);
      expect(textOf(answer)).toBe(plain.body);
      // Around what is kept the client's own part stands as it is.
      if (name === "gzip") expect(answer.body).toContain('"id":1,"result":');
      const others = ({ head }: RawAnswer) =>
        withoutChance(`${head}\r\n`).replace(/Content-(Encoding|Length): .*\r\n/g, "");
      expect(others(answer)).toBe(others(plain));
      expect(fieldOf(answer, "X-Credits-Charged")).toBe(fieldOf(plain, "X-Credits-Charged"));
    }
  });

  test.each<[string, readonly string[], string | undefined]>([
    ["without the header", [], undefined],
    ["with an empty one", [""], undefined],
    ["that takes nothing we have", ["deflate"], undefined],
    ["that takes nothing at all", ["identity;q=0"], undefined],
    ["that refuses", ["gzip;q=0, br;q=0, zstd;q=0"], undefined],
    ["that is malformed", ["gzip;q=high"], undefined],
    ["that likes another better", ["gzip;q=0.5, br"], "br"],
    ["with two lines", ["br;q=0.5", "gzip"], "gzip"],
    ["of a browser", ["gzip, deflate, br, zstd"], "zstd"],
  ])("a client %s gets 200 in what it takes: %j", async (_name, accepted, coding) => {
    const [answer] = await answersOn(wire, [post(codeCall(20_000), accepted)]);
    if (answer === undefined) throw new Error("no answer");
    expect([answer.status, fieldOf(answer, "Content-Encoding")]).toEqual([200, coding]);
    expect(fieldOf(answer, "Vary")).toBe("Accept-Encoding");
    expect(textOf(answer)).toBe(answerOf(20_000));
  });

  test("a small answer is not touched, and depends on nothing", async () => {
    const body = codeCall(4000);
    const answers = await answersOn(wire, [post(body, ["gzip"]), post(body, [])]);
    for (const answer of answers) {
      expect(answer.body).toBe(answerOf(4000));
      expect(answer.head).not.toMatch(/Vary|Content-Encoding/);
    }
  });

  test("pipelined requests are answered in their order, however long compressing takes", async () => {
    const kept = codeCall(60_000, "0");
    for (let times = 0; times < 3; times++) await answersOn(wire, [post(kept, ["gzip"])]);
    const sizes = [400_000, 100, 50_000, 20_000, 100, 300_000];
    const accepted = ["gzip", "gzip", "br", "zstd", "br", "gzip"];
    const requests = sizes.map((size, index) =>
      post(codeCall(size, String(index + 1)), [accepted[index] ?? ""]),
    );
    const answers = await answersOn(wire, [...requests, post(kept, ["gzip"])]);
    expect(answers.slice(0, -1).map(textOf)).toEqual(
      sizes.map((size, index) => answerOf(size, String(index + 1))),
    );
    expect(answers.slice(-1).map(textOf)).toEqual([answerOf(60_000, "0")]);
  });

  test("a batch is compressed as a whole", async () => {
    const body = `[${codeCall(20_000, "1")},${codeCall(30_000, '"b"')},${call("3")}]`;
    for (const coding of CODINGS) {
      const [answer] = await answersOn(wire, [post(body, [coding])]);
      if (answer === undefined) throw new Error("no answer");
      expect(fieldOf(answer, "Content-Encoding")).toBe(coding);
      const last = '{"jsonrpc":"2.0","id":3,"result":"0x1"}';
      const expected = [answerOf(20_000), answerOf(30_000, '"b"'), last];
      expect(textOf(answer)).toBe(`[${expected}]`);
    }
  });

  test("who leaves while an answer is compressed costs the others nothing", async () => {
    const leaving = await openOn(wire, gateway.port, path);
    const before = node.requests.length;
    leaving.send(post(codeCall(900_000), ["gzip"]));
    await vi.waitFor(() => expect(node.requests).toHaveLength(before + 1), { interval: 1 });
    leaving.socket.destroy();
    const [answer] = await answersOn(wire, [post(codeCall(20_000), ["gzip"])]);
    expect(answer && textOf(answer)).toBe(answerOf(20_000));
  });
});

// docs/configuration.md, server.wire
test.skipIf(DEFAULT_WIRE === "node")(
  "a client that says it sends no more still gets its compressed answer",
  async () => {
    const raw = await openRaw(gateway.port);
    raw.send(post(codeCall(200_000), ["br"]));
    raw.socket.end();
    const [answer] = readAnswers(await raw.closed);
    expect(answer && textOf(answer)).toBe(answerOf(200_000));
  },
);

test("clients that ask for compression on their own read the result", async () => {
  const body = codeCall(50_000);
  const headers = { "Content-Type": "application/json" };
  for (let times = 0; times < 4; times++) {
    const fetched = await fetch(gateway.http(), { method: "POST", headers, body });
    expect(fetched.headers.get("content-encoding")).toMatch(/^(gzip|br|zstd)$/);
    expect(await fetched.text()).toBe(answerOf(50_000));
    const plain = await request(gateway.http(), { method: "POST", headers, body });
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(await plain.body.text()).toBe(answerOf(50_000));
  }
});

test("HEAD is no call, and its refusal is not compressed", async () => {
  const headers = { "Accept-Encoding": "gzip" };
  const answer = await ask(gateway.port, { method: "HEAD", target: path, headers });
  expect(answer.status).toBe(405);
  expect(answer.headers).not.toHaveProperty("content-encoding");
});

test("an answer for one origin depends on the coding too", async () => {
  const allow = { origin: ["https://a.example"] };
  await gateway.storage.keys.update(gateway.keyId, { allow });
  try {
    const headers = { Origin: "https://a.example", "Accept-Encoding": "gzip" };
    const body = codeCall(20_000);
    await vi.waitFor(
      async () => {
        const answer = await ask(gateway.port, { target: path, headers, body });
        expect(answer.headers.vary).toBe("Origin, Accept-Encoding");
        expect(answer.headers["content-encoding"]).toBe("gzip");
      },
      { timeout: 5000, interval: 20 },
    );
  } finally {
    await gateway.storage.keys.update(gateway.keyId, { allow: {} });
    await vi.waitFor(
      async () => expect((await ask(gateway.port, { target: path })).status).toBe(200),
      { timeout: 5000, interval: 20 },
    );
  }
});

test("only answer bytes that were sent are counted as sent", async () => {
  const sent = async () => {
    const text = await (await gateway.admin("/metrics")).text();
    return Number(/tollgate_sent_bytes_total\{transport="http"\} (\d+)/.exec(text)?.[1]);
  };
  const before = await sent();
  const [answer] = await answersOn("plain", [post(codeCall(300_000), ["gzip"])]);
  expect((await sent()) - before).toBe(answer?.body.length);
});

test("a WebSocket agrees to no compression", async () => {
  const socket = new WebSocket(gateway.ws());
  await once(socket, "open");
  expect(socket.extensions).toBe("");
  socket.close();
});

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { call, ENVELOPE, INVALID_UTF8 } from "../envelope/table.ts";
import { startTestGateway, strangeKey, type TestGateway } from "../support/gateway.ts";
import { type RawConnection, readAnswers } from "../support/raw-connection.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { openOn, WIRES, withoutChance } from "./wires.ts";

let node: StandInNode;
let gateway: TestGateway;
let path: string;
let connections: RawConnection[];

beforeAll(async () => {
  node = await startStandInNode(({ method }) =>
    method === "eth_getCode" ? { resultText: `"0x${"5b".repeat(100_000)}"` } : { result: "0x10" },
  );
  const upstreams = [{ name: "node", url: node.url }];
  gateway = await startTestGateway({
    networks: [{ name: "net", family: "evm", chainId: 1, upstreams }],
  });
  path = `/net/v3/${gateway.key}`;
  connections = await Promise.all(WIRES.map((wire) => openOn(wire, gateway.port, path)));
});
afterAll(async () => {
  for (const { socket } of connections) socket.destroy();
  await gateway.stop();
  await node.stop();
});

/** Sends the same on both; gives the one answer that each gets, without what is chance. */
async function answersOnBoth(bytes: Buffer): Promise<string[]> {
  return Promise.all(
    connections.map(async ({ send, received }) => {
      const before = received().length;
      send(bytes);
      await vi.waitFor(() => expect(readAnswers(received().slice(before))).toHaveLength(1), {
        interval: 1,
        timeout: 10_000,
      });
      return withoutChance(received().slice(before));
    }),
  );
}

function post(target: string, body: string | Buffer, headers: readonly string[] = []): Buffer {
  const bytes = Buffer.from(body);
  const lines = ["Host: a", ...headers, `Content-Length: ${bytes.length}`];
  return Buffer.concat([
    Buffer.from(`POST ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`),
    bytes,
  ]);
}

const CODE = '["0x00000000000000000000000000000000000000aa","latest"]';

describe("a plain request gets the same bytes as from node:http:", () => {
  test.each([...ENVELOPE, ...INVALID_UTF8])("$name", async ({ body }) => {
    const [plain, other] = await answersOnBoth(post(path, body));
    expect(plain).toBe(other);
    expect(plain).toMatch(/^HTTP\/1\.1 20[04] /);
  });

  test.each<[string, number, () => Buffer]>([
    ["an answer in several pieces", 200, () => post(path, call("1", "eth_getCode", CODE))],
    ["a body of 3 MB", 200, () => post(path, call("1").padEnd(3_000_000))],
    ["an unknown network", 404, () => post("/nope/v3/x", "{}")],
    ["a path that goes on", 404, () => post(`${path}/x`, "{}")],
    ["the address for WebSocket", 404, () => post(path.replace("/v3", "/ws/v3"), "{}")],
    ["an unknown key", 401, () => post(`/net/v3/${strangeKey()}`, "{}")],
    ["no key", 401, () => post("/net/v3", "{}")],
    ["a query", 200, () => post(`${path}?a=b&c`, call("1"))],
    ["text", 415, () => post(path, "{}", ["Content-Type: text/plain"])],
    ["a charset", 200, () => post(path, call("1"), ["content-type: Application/JSON;charset=x"])],
    ["an id of its own", 200, () => post(path, call("1"), ["X-Request-Id: mine"])],
    ["an odd id", 200, () => post(path, call("1"), ["X-Request-Id: a b"])],
    ["an origin", 200, () => post(path, call("1"), ["Origin: https://a.example"])],
    ["a fault of the node", 503, () => post(path, call("1", "eth_gasPrice"))],
  ])("%s", async (_name, status, bytes) => {
    if (status === 503) node.reply = () => ({ status: 500, body: "" });
    const [plain, other] = await answersOnBoth(bytes());
    expect(plain).toBe(other);
    expect(plain?.split(" ")[1]).toBe(String(status));
  });

  test("of a key with lists of its own", async () => {
    await gateway.storage.keys.update(gateway.keyId, {
      allow: { origin: ["https://a.example"], agent: ["friend"] },
    });
    for (const [headers, status] of [
      [["Origin: https://a.example", "User-Agent: my friend 1"], 200],
      [["Origin: https://a.example", "User-Agent: other"], 403],
      [["Origin: https://b.example"], 403],
    ] as const) {
      await vi.waitFor(
        async () => {
          const [plain, other] = await answersOnBoth(post(path, call("1"), headers));
          expect(plain).toBe(other);
          expect(plain?.split(" ")[1]).toBe(String(status));
          expect(plain).toContain("\r\nVary: Origin");
        },
        { timeout: 5000, interval: 20 },
      );
    }
  });
});

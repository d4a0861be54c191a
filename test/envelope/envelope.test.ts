import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RawData, WebSocket } from "ws";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { call, ENVELOPE, INVALID_UTF8, ok } from "./table.ts";

let node: StandInNode;
let gateway: TestGateway;

beforeAll(async () => {
  node = await startStandInNode(() => ({ result: "0x10" }));
  const upstreams = [{ name: "node", url: node.url }];
  gateway = await startTestGateway({
    networks: [{ name: "net", family: "evm", chainId: 1, upstreams }],
  });
});

afterAll(async () => {
  await gateway.stop();
  await node.stop();
});

const bytesOf = (body: string | Buffer): Buffer =>
  typeof body === "string" ? Buffer.from(body, "utf8") : body;

describe("each body gets its status and bytes over HTTP", () => {
  test.each([...ENVELOPE, ...INVALID_UTF8])("$name", async ({ body, answer }) => {
    const response = await fetch(gateway.http(), { method: "POST", body: bytesOf(body) });
    expect(await response.text()).toBe(answer ?? "");
    expect(response.status).toBe(answer === undefined ? 204 : 200);
    const type = answer === undefined ? null : "application/json";
    expect(response.headers.get("content-type")).toBe(type);
  });
});

/** What comes first after this message: its answer, or that of a call that is sent behind it. */
async function firstAnswer(socket: WebSocket, body: Buffer, binary: boolean): Promise<string> {
  const answered = new Promise<string>((resolve, reject) => {
    socket.once("message", (data: RawData, isBinary) =>
      isBinary ? reject(new Error("answered in a binary frame")) : resolve(String(data)),
    );
    socket.once("close", (code) => reject(new Error(`closed with ${code}`)));
  });
  socket.send(body, { binary });
  return answered;
}

describe.each([
  { frames: "text", binary: false, rows: ENVELOPE },
  { frames: "binary", binary: true, rows: [...ENVELOPE, ...INVALID_UTF8] },
])("each message gets its bytes over WebSocket in $frames frames", ({ binary, rows }) => {
  let socket: WebSocket;
  beforeAll(async () => {
    socket = new WebSocket(gateway.ws());
    await new Promise((resolve) => socket.once("open", resolve));
  });
  afterAll(() => socket.terminate());

  test.each(rows)("$name", async ({ body, answer }) => {
    socket.removeAllListeners();
    if (answer !== undefined) {
      expect(await firstAnswer(socket, bytesOf(body), binary)).toBe(answer);
      return;
    }
    // Nothing is owed: what is answered next is the next call.
    socket.send(bytesOf(body), { binary });
    expect(await firstAnswer(socket, Buffer.from(call('"next"')), binary)).toBe(ok('"next"'));
  });
});

test("a node is asked what is owed and no notification, in a request that is rebuilt", () => {
  // One row of the table, three times.
  expect(node.requests).toHaveLength(3);
  for (const { id, text } of node.requests) {
    expect(text).toBe(`{"jsonrpc":"2.0","id":${id},"method":"eth_gasPrice","params":[]}`);
  }
});

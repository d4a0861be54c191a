import { isUtf8 } from "node:buffer";
import { on } from "node:events";
import { Pool } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RawData, WebSocket } from "ws";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { fuzz, isTooComplex } from "./fuzz.ts";
import { owedTo } from "./oracle.ts";
import { call, ok } from "./table.ts";

let node: StandInNode;
let gateway: TestGateway;

beforeAll(async () => {
  node = await startStandInNode(({ method, params }) => {
    if (/^0xdead/i.test(String(params[0]))) return { body: "down", status: 500 };
    return { resultText: method === "eth_gasPrice" ? '"0x10"' : "null" };
  });
  const upstreams = [{ name: "node", url: node.url }];
  gateway = await startTestGateway({
    networks: [{ name: "net", family: "evm", chainId: 1, upstreams }],
  });
});

afterAll(async () => {
  await gateway.stop();
  await node.stop();
});

test("mutated bodies get what they are owed over HTTP, all on one connection", async () => {
  const client = new Pool(gateway.origin, { connections: 1 });
  const path = new URL(gateway.http()).pathname;
  let connections = 0;
  client.on("connect", () => {
    connections += 1;
  });
  await fuzz(
    async (body) => {
      const answer = await client.request({ method: "POST", path, body });
      return { status: answer.statusCode, text: await answer.body.text() };
    },
    { numRuns: 3_000 },
  );
  expect(connections).toBe(1);
  await client.close();
});

test("mutated messages get what they are owed over one WebSocket, or nothing", async () => {
  const socket = new WebSocket(gateway.ws());
  await new Promise((resolve) => socket.once("open", resolve));
  const answers = on(socket, "message", { close: ["close"] });
  const nextAnswer = async () => {
    const { value, done } = await answers.next();
    if (done) throw new Error("the connection was closed");
    return String((value as [RawData])[0]);
  };
  await fuzz(
    async (body) => {
      socket.send(body, { binary: !isUtf8(body) || body.length % 2 === 0 });
      if (owedTo(body).form !== "nothing") return { status: 0, text: await nextAnswer() };
      // An answer to what is owed none would come before that of the next call.
      socket.send(call('"next"'));
      const text = await nextAnswer();
      if (!isTooComplex(text)) {
        expect(text).toBe(ok('"next"'));
        return { status: 0, text: "" };
      }
      // Notifications too are refused where they hold too many tokens.
      expect(await nextAnswer()).toBe(ok('"next"'));
      return { status: 0, text };
    },
    { numRuns: 3_000, owedStatus: false },
  );
  socket.terminate();
});

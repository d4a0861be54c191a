import { afterEach, beforeEach, expect, test } from "vitest";
import { ask } from "../routing/client.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type NodeRequest, type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { type Client, connect } from "../websocket/client.ts";

const BLOCKS = 4;
const ADDRESS = `0x${"12".repeat(20)}`;
/** Clients behind one connection. */
const TOGETHER = 10;
const ROUNDS = 3;

let node: StandInNode;
let gateway: TestGateway;

beforeEach(async () => {
  node = await startStandInNode(answerTo);
  const upstreams = [{ name: "node", url: node.url }];
  gateway = await startTestGateway({
    cache: { memoryBytes: 64_000_000 },
    networks: [{ name: "net", family: "evm", chainId: 1, timeoutMs: 20_000, upstreams }],
  });
});
afterEach(async () => {
  await gateway?.stop();
  await node?.stop();
});

/** What every client wants to know of each block. */
const QUESTIONS = [
  { method: "eth_getBlockByNumber", params: ["latest", true] },
  { method: "eth_call", params: [{ to: ADDRESS, data: "0x18160ddd" }, "latest"] },
  { method: "eth_getBalance", params: [ADDRESS, "latest"] },
];

/** The block stands in every answer. */
function answerTo({ method, params }: NodeRequest) {
  if (method !== "eth_getBlockByNumber") return { result: params[1] };
  const [number] = params as [string];
  const hash = `0xa1${(Number(number) + 1).toString(16).padStart(62, "0")}`;
  return { result: { number, hash, transactions: [] } };
}

const blockOf = (result: unknown): number =>
  Number(typeof result === "string" ? result : (result as { number: string }).number);

/** All clients ask all there is to know of `latest`, once; the lowest block that one is told of. */
async function pollOnce(connections: readonly Client[]): Promise<number> {
  const told = connections.map(async (client) => {
    const before = client.messages.length;
    for (let id = 0; id < TOGETHER; id += 1) {
      const question = QUESTIONS[id % QUESTIONS.length];
      client.send(JSON.stringify({ jsonrpc: "2.0", id, ...question }));
    }
    const messages = await client.received(before + TOGETHER);
    return messages.slice(before).map((text) => {
      const { result, error } = JSON.parse(text) as { result?: unknown; error?: object };
      expect(error, text).toBeUndefined();
      return blockOf(result);
    });
  });
  return Math.min(...(await Promise.all(told)).flat());
}

test.each([10, 2000])(
  "%i clients that poll the newest block have each asked for once",
  async (clients) => {
    const connections = await Promise.all(
      Array.from({ length: clients / TOGETHER }, () => connect(gateway.ws())),
    );
    const first = node.head;
    for (let block = first; block < first + BLOCKS; block += 1) {
      node.head = block;
      // Polls for heads come by themselves, later: nodes are asked at once for a block that was seen.
      const seen = ask(
        gateway.http(),
        { method: "eth_blockNumber" },
        { "X-Min-Block": `${block}` },
      );
      while ((await pollOnce(connections)) < block) await new Promise(setImmediate);
      for (let round = 0; round < ROUNDS; round += 1) {
        expect(await pollOnce(connections)).toBe(block);
      }
      expect(blockOf((await seen).body.result)).toBe(block);
    }
    for (const { socket } of connections) socket.terminate();
    const asked = node.requests.map(({ method, params }) => `${method} ${JSON.stringify(params)}`);
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked).toHaveLength(BLOCKS * QUESTIONS.length);
  },
);

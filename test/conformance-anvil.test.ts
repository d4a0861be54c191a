import { once } from "node:events";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { METHOD_GROUPS } from "../src/config/method-groups.ts";
import { type DevChain, startDevChain } from "../src/dev/chain.ts";
import { rpc } from "../src/dev/rpc.ts";
import { exampleOf } from "../src/methods/example.ts";
import { EVM_GROUP_METHODS, EVM_METHODS } from "../src/methods/registry.ts";
import { type Asked, QUESTIONS } from "./conformance/anvil-questions.ts";
import {
  type Answer,
  type Choices,
  documented,
  inFull,
  type Question,
} from "./conformance/documented.ts";
import { NOT_OF_ANVIL } from "./conformance/not-of-anvil.ts";
import { startTestGateway, type TestGateway } from "./support/gateway.ts";

/** Two networks on one chain: all by default, and all that can be chosen otherwise. */
const NETWORKS: Readonly<Record<string, Choices & { readonly chainId?: number }>> = {
  standard: { chainId: 31_337, pendingBlock: "documented", signatures: "node" },
  chosen: { pendingBlock: "node", signatures: "padded", finalTotalDifficulty: "0xc70d" },
};
/** More blocks than lie between the head and `finalized`, fewer than anvil keeps states of. */
const MORE_BLOCKS = "0x28";
const MAX_TRIES = 10;

const SERVED = [...EVM_METHODS, ...EVM_GROUP_METHODS];

let chain: DevChain;
let gateway: TestGateway;
let asked: Asked;
const sockets = new Map<string, WebSocket>();

beforeAll(async () => {
  chain = await startDevChain({ blockTimeSeconds: 3_600 });
  const { node, samples } = chain;
  await rpc(node.url, "evm_setIntervalMining", [0]);
  await rpc(node.url, "anvil_mine", [MORE_BLOCKS]);
  const { sender, receiver } = samples.accounts;
  const transfer = { from: sender, to: receiver, value: "0x1" };
  asked = { samples, pendingHash: await rpc(node.url, "eth_sendTransaction", [transfer]) };
  gateway = await startTestGateway({
    networks: Object.entries(NETWORKS).map(([name, options]) => ({
      name,
      family: "evm",
      groups: METHOD_GROUPS,
      ...options,
      upstreams: [{ name: "anvil", url: node.url }],
    })),
  });
  for (const name of Object.keys(NETWORKS)) {
    const socket = new WebSocket(gateway.ws(name));
    await once(socket, "open");
    sockets.set(name, socket);
  }
});

afterAll(async () => {
  for (const socket of sockets.values()) socket.close();
  await gateway?.stop();
  await chain?.node.stop();
});

async function overHttp(url: string, body: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  expect(response.status).toBe(200);
  return response.json();
}

async function overWebSocket(network: string, body: object): Promise<unknown> {
  const socket = sockets.get(network);
  if (socket === undefined) throw new Error(`no connection to ${network}`);
  const answered = once(socket, "message");
  socket.send(JSON.stringify(body));
  return JSON.parse(String((await answered)[0]));
}

/** The rest of a response to the call with id 7, which is all that there is. */
function answerOf(response: unknown): Answer {
  const { jsonrpc, id, ...answer } = response as Answer & { jsonrpc: unknown; id: unknown };
  expect({ jsonrpc, id }).toEqual({ jsonrpc: "2.0", id: 7 });
  return answer as Answer;
}

const request = (method: string, params: readonly unknown[]) => ({
  jsonrpc: "2.0",
  id: 7,
  method,
  params,
});

async function direct(question: Question): Promise<Answer> {
  const { method, params } = inFull(question);
  return answerOf(await overHttp(chain.node.url, request(method, params)));
}

/**
 * The gateway's answer and what it should be, at a moment when the node's did not change meanwhile:
 * a pending block's time is that of the asking.
 */
async function compare(
  question: Question,
  ask: (body: object) => Promise<unknown>,
): Promise<{ ours: Answer; nodes: Answer }> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const nodes = await direct(question);
    const ours = answerOf(await ask(request(question.method, question.params)));
    if (isDeepStrictEqual(nodes, await direct(question))) return { ours, nodes };
  }
  throw new Error(`${question.method} of anvil changes with every call`);
}

test("every method of the gateway, eth_accounts excepted, is compared with anvil's", () => {
  const served = SERVED.map(({ method }) => method).filter((name) => name !== "eth_accounts");
  expect(Object.keys(QUESTIONS).toSorted()).toEqual(served.toSorted());
});

test("the samples have transactions of all types, one failed, one that created a contract", () => {
  const { transactions } = chain.samples;
  const types = Object.values(transactions).map(({ type }) => type);
  expect(new Set(types)).toEqual(new Set(["0x0", "0x1", "0x2", "0x3", "0x4"]));
  expect(transactions.failing.status).toBe("0x0");
});

describe.each(Object.entries(NETWORKS))("on the network %s", (network, choices) => {
  describe.each([
    ["HTTP", (body: object) => overHttp(gateway.http(network), body)],
    ["WebSocket", (body: object) => overWebSocket(network, body)],
  ] as const)("over %s", (_, ask) => {
    test.each(Object.entries(QUESTIONS))("%s gives what anvil gives", async (method, questions) => {
      for (const [name, paramsFor] of Object.entries(questions)) {
        const question = { method, params: paramsFor(asked) };
        const { ours, nodes } = await compare(question, ask);
        const label = `${name}: ${JSON.stringify(question.params)}`;
        expect(ours, label).toEqual(documented(question, nodes, choices));
      }
    });

    test("eth_accounts is empty, whatever accounts the node has", async () => {
      const answer = await ask(request("eth_accounts", []));
      expect(answerOf(answer)).toEqual({ result: [] });
    });

    test("a batch of one question of each method gives the same, in order", async () => {
      const questions = Object.entries(QUESTIONS).map(([method, choice]) => {
        const params = Object.values(choice).map((paramsFor) => paramsFor(asked));
        const fixed = params.find((list) => list[0] !== "pending") ?? [];
        return { method, params: fixed };
      });
      const requests = questions.map(({ method, params }) => request(method, params));
      const answers = (await ask(requests)) as unknown[];
      expect(answers).toHaveLength(questions.length);
      for (const [index, question] of questions.entries()) {
        const nodes = await direct(question);
        expect(answerOf(answers[index]), question.method).toEqual(
          documented(question, nodes, choices),
        );
      }
    });
  });
});

describe("what the comparison would not notice if the chain lacked it", () => {
  const ask = (method: string, params: readonly unknown[], network = "standard") =>
    overHttp(gateway.http(network), request(method, params)).then((response) => {
      const answer = answerOf(response);
      return "result" in answer ? answer.result : answer.error;
    });

  test("the tags name different blocks", async () => {
    const numbers = ["earliest", "finalized", "safe", "latest"].map(async (tag) => {
      const block = (await ask("eth_getBlockByNumber", [tag, false])) as { number: string };
      return Number(block.number);
    });
    expect(await Promise.all(numbers)).toEqual([0, 10, 26, 42]);
  });

  test("the pending block holds a transaction, whose place is null", async () => {
    const { hash, transactions } = (await ask("eth_getBlockByNumber", ["pending", true])) as {
      hash: null;
      transactions: object[];
    };
    const noPlace = { blockHash: null, blockNumber: null, transactionIndex: null };
    expect(hash).toBeNull();
    expect(transactions).toEqual([
      expect.objectContaining({ hash: asked.pendingHash, ...noPlace }),
    ]);
  });

  test("a signature's leading zeros come and go by the network's choice", async () => {
    const { hash } = asked.samples.transactions.legacy;
    const { s } = (await ask("eth_getTransactionByHash", [hash])) as { s: string };
    const padded = (await ask("eth_getTransactionByHash", [hash], "chosen")) as { s: string };
    expect(s).toHaveLength(65);
    expect(padded.s).toBe(`0x0${s.slice(2)}`);
  });

  test("a panic, a custom error and a reason revert as the documentation says", async () => {
    const { reason, custom, panic } = asked.samples.reverts;
    const messages = [reason, custom, panic].map(async (call) => {
      const error = (await ask("eth_call", [call, "latest"])) as { code: number; message: string };
      return [error.code, error.message];
    });
    expect(await Promise.all(messages)).toEqual([
      [3, "execution reverted: not today"],
      [3, "execution reverted"],
      [3, "execution reverted: division or modulo by zero"],
    ]);
  });
});

const withExample = SERVED.filter(
  ({ own, params }) => own === undefined && exampleOf(params) !== undefined,
);

test.each(withExample.filter(({ method }) => !NOT_OF_ANVIL.has(method)))(
  "a real node answers the example of $method",
  async ({ method, params }) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: exampleOf(params) });
    const response = await fetch(gateway.http("standard"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(await response.json()).toHaveProperty("result");
  },
);

import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rpc } from "../../src/dev/rpc.ts";
import { type ChainPair, headOf, quantity, startChainPair } from "../support/chain-pair.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { HttpClient } from "../support/load-clients.ts";
import { MARKED } from "./forking-pair.ts";

/** Clients ask each question so often at the same time: some share one answer, others get a kept one. */
const ASKERS = 4;
const SEEN_MS = 10_000;
/** The deepest replacement, in blocks. */
const DEEPEST = 3;

type Receipt = { readonly blockHash: string } | null;
type Block = { readonly hash: string } | null;

/** What a client asks about a block that was mined a moment ago. */
type Question = {
  readonly method: string;
  readonly params: readonly unknown[];
  /** What of the result depends on the fork. */
  readonly shown: (result: unknown) => unknown;
};

const itself = (result: unknown) => result;
const hashOf = (result: unknown) => (result as Block)?.hash ?? null;
const blockHashOf = (result: unknown) => (result as Receipt)?.blockHash ?? null;

function questionsAbout(number: number, hash: string, transaction: string): readonly Question[] {
  const at = quantity(number);
  return [
    { method: "eth_getTransactionReceipt", params: [transaction], shown: blockHashOf },
    { method: "eth_getTransactionByHash", params: [transaction], shown: blockHashOf },
    { method: "eth_getBalance", params: [MARKED, at], shown: itself },
    { method: "eth_getBlockByNumber", params: [at, false], shown: hashOf },
    { method: "eth_getBlockByHash", params: [hash, false], shown: hashOf },
    { method: "eth_getTransactionByBlockNumberAndIndex", params: [at, "0x0"], shown: blockHashOf },
    { method: "eth_getTransactionByBlockNumberAndIndex", params: [at, "0x1"], shown: blockHashOf },
  ];
}

/** Asks the gateway, and says what it was told. */
class Clients {
  readonly #http: HttpClient;
  #asked = 0;

  constructor(url: string) {
    this.#http = new HttpClient(url, 2 * ASKERS);
  }

  async result({ method, params }: Pick<Question, "method" | "params">): Promise<unknown> {
    this.#asked += 1;
    const id = this.#asked;
    const { text } = await this.#http.ask(
      JSON.stringify({ jsonrpc: "2.0", id, method, params }),
      id,
    );
    const { result, error } = JSON.parse(text) as { result?: unknown; error?: object };
    return error === undefined ? result : JSON.stringify(error);
  }

  /** What each of several clients is shown. */
  shown(question: Question): Promise<readonly unknown[]> {
    const asked = Array.from({ length: ASKERS }, () => this.result(question));
    return Promise.all(asked.map(async (one) => question.shown(await one)));
  }

  close(): Promise<void> {
    return this.#http.close();
  }
}

/**
 * Asks for the head all the time: no answer is to be below one told before. While anvil replaces
 * blocks it has them mined one by one, and shows each as its head: a poll in between finds a lower
 * head that is right. So the head may go down once for each node then, to the last block that stays.
 */
class HeadReader {
  readonly faults: string[] = [];
  #highest = -1;
  #told = -1;
  #replacement: { readonly kept: number; falls: number } | undefined;
  readonly #clients: Clients;
  #isOver = false;
  readonly #running: Promise<void>;

  constructor(clients: Clients) {
    this.#clients = clients;
    this.#running = this.#run();
  }

  /** Until `replaced` nodes may replace what is above `kept`. */
  replacing(kept: number, nodes: number): void {
    this.#replacement = { kept, falls: nodes };
  }

  replaced(): void {
    this.#replacement = undefined;
  }

  stop(): Promise<void> {
    this.#isOver = true;
    return this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const replacement = this.#replacement;
      const head = Number(await this.#clients.result({ method: "eth_blockNumber", params: [] }));
      const isRight = head >= this.#highest || this.#mayFall(head, replacement);
      if (!isRight) this.faults.push(`head ${head} after ${this.#highest}`);
      this.#highest = Math.max(this.#highest, head);
      this.#told = head;
      await setTimeout(2);
    }
  }

  /** `replacement`: the one that went on when it was asked for. */
  #mayFall(head: number, replacement = this.#replacement): boolean {
    if (replacement === undefined) return false;
    if (head < this.#told) replacement.falls -= 1;
    return head >= replacement.kept && replacement.falls >= 0;
  }
}

type DeadAnswers = { readonly times: number; readonly nodes: number };

/**
 * Nodes that are polled. Clients ask about each block as soon as it was mined, mostly before the
 * gateway was told of it. The block is replaced, and its successor is mined: the gateway may see the
 * successor first. From then on no client may be told anything of the block that was replaced.
 */
export function testDeadAnswers({ times, nodes: count }: DeadAnswers): void {
  let pair: ChainPair;
  let gateway: TestGateway;
  let clients: Clients;
  let marks = 0;

  beforeAll(async () => {
    pair = await startChainPair({ count });
    const upstreams = pair.nodes.map(({ url }, index) => ({ name: `node-${index}`, url }));
    gateway = await startTestGateway({
      cache: { memoryBytes: 64_000_000 },
      networks: [{ name: "net", family: "evm", chainId: 31_337, upstreams }],
    });
    clients = new Clients(gateway.http());
  });
  afterAll(async () => {
    await clients?.close();
    await gateway?.stop();
    await pair?.stop();
  });

  /** On each node, with the same outcome: their blocks are a matter of what they are given. */
  const onAll = async <Value>(method: string, params: readonly unknown[]): Promise<Value> => {
    const done = await Promise.all(
      pair.nodes.map(({ url }) => rpc<Value>(url, method, [...params])),
    );
    return done[0] as Value;
  };
  const ofNode = <Value>(method: string, params: readonly unknown[]): Promise<Value> =>
    rpc<Value>(pair.nodes[0]?.url ?? "", method, [...params]);
  /** A transfer that no other block has. */
  const mark = () => {
    marks += 1;
    return {
      from: pair.samples.accounts.sender,
      to: MARKED,
      value: quantity(marks),
      gas: "0x5208",
    };
  };

  /** Until the gateway shows the nodes' head as its own. */
  const seen = async (): Promise<void> => {
    const { hash = "" } = (await ofNode<Block>("eth_getBlockByNumber", ["latest", false])) ?? {};
    const head = await headOf(pair.nodes[0] ?? { url: "" });
    const untilMs = performance.now() + SEEN_MS;
    const headers = { "content-type": "application/json", "X-Min-Block": String(head) };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] });
    await (await fetch(gateway.http(), { method: "POST", headers, body })).text();
    for (;;) {
      const overview = (await (await gateway.admin("/networks")).json()) as {
        readonly networks: readonly [{ readonly headHash: string }];
      };
      if (overview.networks[0].headHash === hash) return;
      if (performance.now() > untilMs) throw new Error(`${hash} was not seen as the head`);
      await setTimeout(1);
    }
  };

  const replaceOnce = async (
    { depth, extra }: { readonly depth: number; readonly extra: number },
    reader: HeadReader,
  ): Promise<readonly string[]> => {
    const sent = await onAll<string>("eth_sendTransaction", [mark()]);
    await onAll("anvil_mine", [quantity(depth)]);
    const head = await headOf(pair.nodes[0] ?? { url: "" });
    // The transaction is in the first of the blocks; the newest one's hash is what receipts do not show.
    const number = head - depth + 1;
    const { hash } = await ofNode<{ hash: string }>("eth_getBlockByNumber", [
      quantity(number),
      false,
    ]);
    const questions = questionsAbout(number, hash, sent);
    await Promise.all(questions.map((question) => clients.shown(question)));
    await Promise.all(questions.map((question) => clients.shown(question)));
    reader.replacing(number - 1, count);
    await onAll("anvil_reorg", [depth, [[mark(), 0]]]);
    if (extra > 0) await onAll("anvil_mine", [quantity(extra)]);
    await seen();
    reader.replaced();
    const faults: string[] = [];
    for (const question of questions) {
      const { method, params, shown } = question;
      const told = [...(await clients.shown(question)), ...(await clients.shown(question))];
      const right = shown(await ofNode(method, params));
      const wrong = told.find((one) => one !== right);
      if (wrong !== undefined) {
        faults.push(`${method} ${JSON.stringify(params)}: ${wrong} in place of ${right}`);
      }
    }
    return faults;
  };

  test(`${times} blocks of ${count} nodes are asked about at once and replaced: no answer of a replaced block is given once the new head was seen, and no head is below one told before, but where a node had it while it replaced blocks`, async () => {
    const reader = new HeadReader(clients);
    const faults: string[] = [];
    try {
      for (let done = 0; done < times && faults.length === 0; done += 1) {
        const how = { depth: 1 + (done % DEEPEST), extra: 1 + (done % 2) };
        faults.push(...(await replaceOnce(how, reader)));
      }
    } finally {
      await reader.stop();
    }
    expect(faults).toEqual([]);
    expect(reader.faults).toEqual([]);
    const metrics = await (await gateway.admin("/metrics")).text();
    const hits = /^tollgate_cache_hits_total\{network="net"\} (\d+)$/m.exec(metrics)?.[1];
    expect(Number(hits)).toBeGreaterThan(times);
  });
}

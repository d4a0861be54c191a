import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type NodeReply, type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { connect } from "../websocket/client.ts";

/** Each breaks the text of a block: an object of more than 4 KB whose middle is the string MIDDLE. */
const BREAKS: Readonly<Record<string, (block: string) => string | Buffer>> = {
  "with a second answer smuggled in": (block) =>
    `${block}},{"jsonrpc":"2.0","id":2,"result":${block}`,
  "with an answer smuggled into its middle": within('"},{"id":2,"result":{"a":"'),
  "with a string that ends too soon": within('"'),
  "with a control character in a string": within("\u0001"),
  "with an escape that there is not": within("\\x"),
  "with a byte that is no UTF-8": within(Buffer.of(0xff)),
  "with half a character": within(Buffer.of(0xe2, 0x82)),
  "cut off": (block) => block.slice(0, block.indexOf(MIDDLE) + MIDDLE.length),
  "with a comma left out": (block) => block.replace(`${MIDDLE}",`, `${MIDDLE}"`),
  "of two values": (block) => block + block,
};
const MIDDLE = "middle";

function within(bytes: string | Buffer): (block: string) => Buffer {
  return (block) => {
    const [before = "", behind = ""] = block.split(MIDDLE);
    return Buffer.concat([before, MIDDLE, bytes, behind].map((part) => Buffer.from(part)));
  };
}

/** In the order of the blocks' numbers, from 1 on. */
const NAMES = Object.keys(BREAKS);
/** A block that both nodes tell of as it is. */
const SOUND = NAMES.length + 1;
/** Blocks of more than a mebibyte: one as it is, one with an answer smuggled in. */
const LARGE_SOUND = SOUND + 1;
const LARGE_BROKEN = SOUND + 2;
const FORMS = { alone: {}, batched: { batch: 10 } };
const pairOf = (form: string) => `${form}-pair`;

const hashOf = (number: number): string => `0xa1${(number + 1).toString(16).padStart(62, "0")}`;

/** As the stand-in nodes tell of it. `from` is whose answer it is. */
function blockOf(number: number, from: string): string {
  return JSON.stringify({
    number: `0x${number.toString(16)}`,
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    difficulty: "0x0",
    totalDifficulty: "0x0",
    extraData: `0x${Buffer.from(from).toString("hex")}`,
    texts: ["x".repeat(number < LARGE_SOUND ? 6000 : 1_100_000), MIDDLE, "x".repeat(6000)],
    transactions: [],
    uncles: [],
  });
}

function answerOf(id: number, result: string | Buffer): NodeReply {
  const parts = [`{"jsonrpc":"2.0","id":${id},"result":`, result, "}"];
  return { body: Buffer.concat(parts.map((part) => Buffer.from(part))) };
}

const isBatch = (text = ""): boolean => text.startsWith("[");
const numberIn = (params: readonly unknown[]): number => Number(params[0]);
const call = (number: number, id = 1) => ({
  jsonrpc: "2.0",
  id,
  method: "eth_getBlockByNumber",
  params: [`0x${number.toString(16)}`, false],
});
const CHAIN_ID = { jsonrpc: "2.0", id: 2, method: "eth_chainId", params: [] };

let liar: StandInNode;
let honest: StandInNode;
let gateway: TestGateway;

beforeAll(async () => {
  liar = await startStandInNode(({ id, params }) => {
    const number = numberIn(params);
    const name = number === LARGE_BROKEN ? NAMES[0] : NAMES[number - 1];
    const broken = BREAKS[name ?? ""] ?? ((block: string) => block);
    return answerOf(id, broken(blockOf(number, "liar")));
  });
  honest = await startStandInNode(({ params }) => ({
    resultText: blockOf(numberIn(params), "honest"),
  }));
  // Answers of blocks that are 32 blocks old are kept without their hash.
  for (const node of [liar, honest]) node.head = 100;
  const upstreams = (form: object) => [
    { name: "liar", url: liar.url, ...form },
    // So that the other one is asked first, whatever the chances.
    { name: "honest", url: honest.url, lacks: ["eth_getBlockByNumber"], ...form },
  ];
  gateway = await startTestGateway({
    cache: {},
    networks: Object.entries(FORMS).flatMap(([name, form]) => [
      ...NAMES.map((_, index) => ({
        name: `${pairOf(name)}-${index + 1}`,
        family: "evm",
        chainId: 1,
        upstreams: upstreams(form),
      })),
      { name, family: "evm", chainId: 1, upstreams: upstreams(form).slice(0, 1) },
    ]),
  });
  await vi.waitFor(async () => {
    const metrics = await (await gateway.admin("/metrics")).text();
    expect(metrics).not.toMatch(/^tollgate_upstream_ready\{.*\} 0$/m);
  }, 10_000);
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([liar.stop(), honest.stop()]);
});

async function post(network: string, body: unknown) {
  const response = await fetch(gateway.http(network), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, text, json: JSON.parse(text) };
}

/** What a metric of an upstream says. */
async function metric(name: string, network: string, more = ""): Promise<number> {
  const text = await (await gateway.admin("/metrics")).text();
  const series = `${name}{network="${network}",upstream="liar"${more}}`;
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? 0);
}

const ofHonest = (number: number, id: number) => ({
  jsonrpc: "2.0",
  id,
  result: JSON.parse(blockOf(number, "honest")),
});

describe.each(Object.keys(FORMS))("asked of nodes %s, a block", (form) => {
  // In a list the first one is a whole answer more, of a call that nobody made.
  const broken = NAMES.slice(form === "batched" ? 1 : 0);
  describe.each(broken.map((name) => [name, NAMES.indexOf(name) + 1] as const))(
    "%s",
    (_, number) => {
      const network = `${pairOf(form)}-${number}`;

      test("is never given: another node's is, over HTTP and WebSocket, alone and in a batch", async () => {
        const before = liar.requests.length;
        const { json } = await post(network, [call(number, 1), call(SOUND, 2)]);
        expect(json).toEqual([ofHonest(number, 1), expect.objectContaining({ id: 2 })]);
        expect(json[1].result).toMatchObject({ hash: hashOf(SOUND) });
        expect(liar.requests.length).toBe(before + 2);
        expect(isBatch(liar.requests.at(-1)?.text)).toBe(form === "batched");
        const counted = await metric(
          "tollgate_upstream_calls_total",
          network,
          ',outcome="internal"',
        );
        expect(counted).toBeGreaterThan(0);

        // What is kept is sound.
        const alone = await post(network, call(number, 3));
        expect(alone).toMatchObject({ status: 200, json: ofHonest(number, 3) });

        const client = await connect(gateway.ws(network));
        client.send(JSON.stringify(call(number, 4)));
        const [message = ""] = await client.received(1);
        expect(JSON.parse(message)).toEqual(ofHonest(number, 4));
        client.socket.terminate();
      });

      test("is an error where no other node is, and the client's connection stays open", async () => {
        const before = liar.requests.length;
        const refusal = { code: -32603, message: "no upstream could answer" };
        const alone = await post(form, call(number, 1));
        expect(alone).toMatchObject({ status: 503, json: { id: 1, error: refusal } });
        const batch = await post(form, [call(number, 1), CHAIN_ID]);
        expect(batch.json).toMatchObject([
          { id: 1, error: refusal },
          { id: 2, result: "0x1" },
        ]);
        const client = await connect(gateway.ws(form));
        client.send(JSON.stringify(call(number, 3)));
        const [message = ""] = await client.received(1);
        expect(JSON.parse(message)).toMatchObject({ id: 3, error: refusal });
        client.send(JSON.stringify(CHAIN_ID));
        const [, next = ""] = await client.received(2);
        expect(JSON.parse(next)).toMatchObject({ id: 2, result: "0x1" });
        client.socket.terminate();
        // Nothing was kept.
        expect(liar.requests.length).toBe(before + 3);
      });
    },
  );

  test("that is broken counts against its node's health", async () => {
    const opened = "tollgate_upstream_breaker_opened_total";
    expect(await metric(opened, form)).toBeGreaterThan(0);
  });
});

describe("a broken block of more than a mebibyte", () => {
  const refused = { id: 1, error: { code: -32603, message: "no upstream could answer" } };

  test("is refused where it stands beside other answers, which are given", async () => {
    const { json } = await post("alone", [call(LARGE_BROKEN, 1), call(LARGE_SOUND, 2)]);
    expect(json).toMatchObject([refused, { id: 2, result: { hash: hashOf(LARGE_SOUND) } }]);
    const client = await connect(gateway.ws("alone"));
    client.send(JSON.stringify(call(LARGE_BROKEN, 1)));
    const [message = ""] = await client.received(1);
    expect(JSON.parse(message)).toMatchObject(refused);
    client.socket.terminate();
  });

  test("is not kept, however often it is asked for", async () => {
    const before = liar.requests.length;
    const asked = [1, 2, 3].map((id) => call(LARGE_BROKEN, id));
    for (const one of asked) {
      const response = await fetch(gateway.http("alone"), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(one),
      });
      await response.text();
    }
    expect(liar.requests.length).toBe(before + 3);
    await post("alone", call(LARGE_SOUND, 4));
    await post("alone", call(LARGE_SOUND, 5));
    const kept = liar.requests.length;
    await post("alone", call(LARGE_SOUND, 6));
    expect(liar.requests.length).toBe(kept);
  });
});

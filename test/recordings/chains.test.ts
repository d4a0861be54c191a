import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHAINS, type Change, changes, unlisted, unused } from "./differences.ts";
import { documentedShape, type ShapeChoice } from "./documented.ts";
import { FIXTURES } from "./recorded-calls.ts";
import { type Rig, startRig } from "./rig.ts";

const FOLDER = `${FIXTURES}/evm`;
const FINAL = "0xc70d815d562d3cfa955";
const HASH = `0x${"ab".repeat(32)}`;
/** Beyond the head: null for a block that others have would be asked again. */
const NO_BLOCK = "0xffffffffff";
/** The blocks are of several chains; none is higher. */
const HEAD = 0xfffffff;

/** What each network of the rig chooses of the documented shapes. */
const CHOICES: Readonly<Record<string, ShapeChoice>> = {
  documented: { finalTotalDifficulty: FINAL },
  "as-nodes": { pendingBlock: "node" },
  padded: { signatures: "padded" },
};

type Found = {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly text: string;
};
type Fields = { readonly [name: string]: unknown };

/** The calls that a file of fixtures/evm is the result of, or whose results it lists. */
function callsOf(name: string, text: string): Found[] {
  if (/receipts?/i.test(name)) return receiptCalls(text);
  if (/uncle-\d/.test(name)) return [byNumber("Uncle", "0x0", text), byHash("Uncle", "0x0", text)];
  if (/-txs?-/.test(name)) return listed(text).flatMap(transactionCalls);
  const { transactions, number } = (JSON.parse(text) ?? {}) as Fields;
  const full = Array.isArray(transactions) && typeof transactions[0] === "object";
  if (/tag-pending/.test(name)) {
    return [{ method: "eth_getBlockByNumber", params: ["pending", full], text }];
  }
  const params = typeof number === "string" ? number : NO_BLOCK;
  return [
    { method: "eth_getBlockByNumber", params: [params, full], text },
    { method: "eth_getBlockByHash", params: [hashOf(text), full], text },
  ];
}

function receiptCalls(text: string): Found[] {
  const value = JSON.parse(text);
  const each = listed(text).map((one) => ({
    method: "eth_getTransactionReceipt",
    params: [HASH],
    text: one,
  }));
  if (!Array.isArray(value)) return each;
  return [...each, { method: "eth_getBlockReceipts", params: [value[0].blockNumber], text }];
}

const transactionCalls = (text: string): Found[] => [
  { method: "eth_getTransactionByHash", params: [HASH], text },
  byNumber("Transaction", "0x1", text),
  byHash("Transaction", "0x1", text),
];

const byNumber = (what: string, index: string, text: string): Found => ({
  method: `eth_get${what}ByBlockNumberAndIndex`,
  params: ["0x1", index],
  text,
});
const byHash = (what: string, index: string, text: string): Found => ({
  method: `eth_get${what}ByBlockHashAndIndex`,
  params: [HASH, index],
  text,
});

const hashOf = (text: string): unknown => ((JSON.parse(text) ?? {}) as Fields)["hash"] ?? HASH;

/** The members of an array, each as text; of anything else the text itself, as the file has it. */
function listed(text: string): string[] {
  const value: unknown = JSON.parse(text);
  return Array.isArray(value) ? value.map((one) => JSON.stringify(one)) : [text];
}

const RECORDED = readdirSync(FOLDER, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith(".json"))
  .map((name) => ({
    name,
    calls: callsOf(name, readFileSync(`${FOLDER}/${name}`, "utf8").trim()),
  }));

describe("recorded chains", () => {
  let rig: Rig;
  beforeAll(async () => {
    const networks = Object.entries(CHOICES).map(([name, options]) => [
      name,
      { options, chain: { head: HEAD } },
    ]);
    rig = await startRig(Object.fromEntries(networks));
  });
  afterAll(() => rig.stop());

  async function ask(network: string, { method, params, text }: Found) {
    const [node] = rig.nodes[network] ?? [];
    if (node) node.reply = () => ({ resultText: text });
    return rig.send(network, JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }));
  }

  test.each(RECORDED)(
    "$name comes out in the documented shape, as its network chooses",
    async ({ calls }) => {
      expect(calls).not.toEqual([]);
      for (const [network, choice] of Object.entries(CHOICES)) {
        for (const call of calls) {
          const given = await ask(network, call);
          const own: unknown = JSON.parse(call.text);
          const result = documentedShape({ id: 7, ...call }, own, choice);
          const context = `${network} ${call.method}`;
          expect(given.json, context).toEqual({ jsonrpc: "2.0", id: 7, result });
          if (JSON.stringify(result) === JSON.stringify(own)) {
            expect(given.text, context).toBe(`{"jsonrpc":"2.0","id":7,"result":${call.text}}`);
          }
        }
      }
    },
  );

  test("what differs from the recording is listed with its reason, and nothing else is", async () => {
    const found: Change[] = [];
    for (const { name, calls } of RECORDED) {
      for (const call of calls) {
        const { json } = await ask("documented", call);
        for (const change of changes({ result: JSON.parse(call.text) }, json)) {
          found.push({ node: CHAINS, name, change: `result: ${change}` });
        }
      }
    }
    expect(unlisted(found)).toEqual([]);
    expect(unused(found, [CHAINS])).toEqual([]);
  });

  test("uncles by number and by hash and receipts with root are among them", () => {
    const calls = RECORDED.flatMap((each) => each.calls);
    const results = (method: string): (Fields | null)[] =>
      calls.filter((call) => call.method === method).map(({ text }) => JSON.parse(text));
    expect(results("eth_getUncleByBlockNumberAndIndex").length).toBeGreaterThan(1);
    expect(results("eth_getUncleByBlockHashAndIndex").length).toBeGreaterThan(1);
    const receipts = results("eth_getTransactionReceipt").filter((each) => each !== null);
    expect(receipts.filter((receipt) => "root" in receipt).length).toBeGreaterThan(1);
  });
});

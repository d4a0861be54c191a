import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type NodeRequest, type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { ask } from "./client.ts";

const HASH = `0x${"ab".repeat(32)}`;
const HEADER = { number: "0x5", hash: HASH, parentHash: HASH, gasUsed: "0x0", mixHash: HASH };
const BLOCK = {
  ...HEADER,
  ...{ size: "0x220", totalDifficulty: "0x0", withdrawals: [] },
  ...{ transactions: [HASH], uncles: [HASH, HASH] },
};
const METHOD_UNKNOWN = { error: { code: -32_601, message: "the method does not exist" } };

/** A node that has blocks, and none of the methods that tell of a part. */
const withoutParts = ({ method, params: [block] }: NodeRequest) => {
  if (!method.startsWith("eth_getBlockBy")) return METHOD_UNKNOWN;
  return { result: [HASH, "0x5"].includes(String(block)) ? BLOCK : null };
};

let nodes: StandInNode[];
let gateway: TestGateway;
beforeEach(async () => {
  nodes = await Promise.all([startStandInNode(withoutParts), startStandInNode(withoutParts)]);
  const upstreams = nodes.map(({ url }, place) => ({ name: `node-${place}`, url }));
  gateway = await startTestGateway({
    networks: [{ name: "net", family: "evm", chainId: 1, upstreams }],
  });
});
afterEach(async () => {
  await gateway?.stop();
  await Promise.all(nodes.map((node) => node.stop()));
});

const PARTS = [
  { method: "eth_getUncleCountByBlockNumber", block: "0x5", result: "0x2", credits: "150" },
  { method: "eth_getUncleCountByBlockHash", block: HASH, result: "0x2", credits: "150" },
  { method: "eth_getHeaderByNumber", block: "0x5", result: HEADER, credits: "80" },
  { method: "eth_getHeaderByHash", block: HASH, result: HEADER, credits: "80" },
];

test.each(PARTS)(
  "$method is taken from the block where no node has it, at its price",
  async ({ method, block, result, credits }) => {
    const { body, header } = await ask(gateway.http(), { method, params: [block] });
    expect(body.result).toEqual(result);
    expect(header("X-Credits-Charged")).toBe(credits);
  },
);

test.each(PARTS)(
  "$method is taken from the block where one node lacks it and the other is down",
  async ({ method, block, result }) => {
    const [first] = nodes;
    if (first !== undefined) first.sickness = "reset";
    const { body } = await ask(gateway.http(), { method, params: [block] });
    expect(body.result).toEqual(result);
  },
);

test.each(PARTS)("$method of a block that is not there is null", async ({ method, block }) => {
  const other = block === HASH ? `0x${"cd".repeat(32)}` : "0x99";
  const { body } = await ask(gateway.http(), { method, params: [other] });
  expect(body).toMatchObject({ result: null });
});

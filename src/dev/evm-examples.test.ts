import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DevChain, startDevChain } from "./chain.ts";
import { ethersSnippet, evmExamples, viemSnippet } from "./evm-examples.ts";

const NINE = [
  "eth_getStorageAt",
  "eth_estimateGas",
  "eth_call",
  "eth_getTransactionByBlockNumberAndIndex",
  "eth_getTransactionReceipt",
  "eth_getBlockByHash",
  "eth_getBlockByNumber",
  "eth_getUncleByBlockNumberAndIndex",
  "eth_getUncleByBlockHashAndIndex",
];
const URL_OF_KEY = "http://127.0.0.1:8545/dev/v3/tg_key";

type Answer = { result?: unknown; error?: { code: number; message: string } };

let chain: DevChain;
let lines: string[];

beforeAll(async () => {
  chain = await startDevChain({ blockTimeSeconds: 1 });
  lines = evmExamples(URL_OF_KEY, chain.samples);
});
afterAll(() => chain.node.stop());

/** The curl line's parts, and what the chain itself answers to its body. */
async function run(line: string): Promise<{ method: string; answer: Answer }> {
  const parts = /^curl -s (\S+) -H 'content-type: application\/json' -d '([^']+)'$/.exec(line);
  expect(parts?.[1]).toBe(URL_OF_KEY);
  const body = parts?.[2] ?? "";
  const headers = { "content-type": "application/json" };
  const response = await fetch(chain.node.url, { method: "POST", headers, body });
  return { method: JSON.parse(body).method, answer: (await response.json()) as Answer };
}

describe("the lines that `tollgate dev --examples` prints for the EVM chain", () => {
  test("hold eth_chainId and each of the nine methods, each answered with something to see", async () => {
    const asked = lines.filter((line) => line.startsWith("curl ") && !line.includes("tollgate_"));
    const ran = await Promise.all(asked.map(run));
    expect(new Set(ran.map(({ method }) => method))).toEqual(new Set(["eth_chainId", ...NINE]));
    for (const { method, answer } of ran) {
      if (answer.error) expect(answer.error.message).toBe("execution reverted: not today");
      else if (method.includes("Uncle")) expect(answer).toMatchObject({ result: null });
      else expect(answer.result).not.toBeNull();
    }
    expect(ran.filter(({ answer }) => answer.error)).toHaveLength(1);
  });

  test("say why the uncles are null", () => {
    const first = lines.findIndex((line) => line.includes("eth_getUncle"));
    expect(lines[first - 1]).toMatch(/^# Uncles: null, because/);
  });

  test("give a receipt with a log, and a block with all types of transaction", async () => {
    const find = (method: string) => lines.find((line) => line.includes(`"${method}"`)) ?? "";
    const receipt = await run(find("eth_getTransactionReceipt"));
    expect(receipt.answer).toMatchObject({ result: { status: "0x1", logs: [{}] } });
    const block = await run(find("eth_getBlockByNumber"));
    const { transactions } = block.answer.result as { transactions: { type: string }[] };
    expect(new Set(transactions.map(({ type }) => type)).size).toBe(5);
  });

  test("end with three lines each of viem and ethers for the HTTP address", () => {
    const viem = viemSnippet(URL_OF_KEY, chain.samples);
    const ethers = ethersSnippet(URL_OF_KEY, chain.samples);
    expect([viem.length, ethers.length]).toEqual([3, 3]);
    expect(lines).toEqual(expect.arrayContaining([...viem, ...ethers]));
    expect(lines.slice(-3)).toEqual(ethers);
  });
});

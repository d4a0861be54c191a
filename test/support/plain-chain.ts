import { encodeArguments, word } from "../../src/dev/abi.ts";
import { rpc } from "../../src/dev/rpc.ts";
import { CONTRACT } from "../../src/dev/samples.ts";
import type { Question } from "../conformance/documented.ts";
import { SENDER, signAll } from "../outside/sign.ts";

/** What every kind of node has: no transactions of the types 3 and 4, no opcodes after Shanghai. */
export type PlainChain = {
  /** Signed, for each block from the first on; that one is empty: ethereumjs takes none for it. */
  readonly blocks: readonly (readonly string[])[];
};

const OTHER = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
/**
 * Without calldata it adds one to what stands in slot 0, logs and returns it; with some it reverts
 * with just that. Before it, the code that puts it there.
 */
const RUNTIME = "3615600f57366000600037366000fd5b6000546001018060005560005260206000a060206000f3";
const CREATION = `0x602780600b6000396000f3${RUNTIME}`;
/** `Error(string)`, which the contract reverts with. */
const REASON = `0x08c379a0${encodeArguments(["string"], ["not today"])}`;
const GAS = 200_000;

export async function signPlainChain(chainId: number): Promise<PlainChain> {
  const to = CONTRACT;
  const accessList = [{ address: CONTRACT, storageKeys: [`0x${word(0)}`] }];
  const [creation = "", ...calls] = await signAll(chainId, [
    { type: "eip1559", data: CREATION, gas: GAS },
    { type: "legacy", to, data: "0x", gas: GAS },
    { type: "eip2930", to, data: "0x", gas: GAS, accessList },
    { type: "eip1559", to, data: "0x", gas: GAS },
    { type: "eip1559", to, data: REASON, gas: GAS },
  ]);
  return { blocks: [[], [creation], calls] };
}

type Block = { readonly hash: string; readonly transactions: readonly string[] };

/** At least one question of each method that is worth asking such a chain; none of a pending block. */
export async function plainQuestions(url: string): Promise<Question[]> {
  const block = (number: string) => rpc<Block>(url, "eth_getBlockByNumber", [number, false]);
  const [first, second] = [await block("0x2"), await block("0x3")];
  const unknown = `0x${"11".repeat(32)}`;
  const call = (data: string) => ({ from: SENDER, to: CONTRACT, data });
  const asked: Record<string, readonly (readonly unknown[])[]> = {
    eth_getBlockByNumber: [
      ["0x0", false],
      ["0x2", true],
      ["0x3", true],
      ["latest", false],
    ].concat([
      ["safe", false],
      ["finalized", false],
      ["0xffffff", false],
    ]),
    eth_getBlockByHash: [first.hash, second.hash, unknown].map((hash) => [hash, true]),
    eth_getBlockTransactionCountByHash: [[second.hash]],
    eth_getBlockTransactionCountByNumber: [["0x3"], ["latest"]],
    eth_getUncleCountByBlockNumber: [["0x3"]],
    eth_getTransactionByHash: [...second.transactions, unknown].map((hash) => [hash]),
    eth_getTransactionReceipt: [...first.transactions, ...second.transactions, unknown].map(
      (hash) => [hash],
    ),
    eth_getTransactionByBlockNumberAndIndex: [
      ["0x3", "0x0"],
      ["0x3", "0x3"],
    ],
    eth_getTransactionByBlockHashAndIndex: [[second.hash, "0x2"]],
    eth_getStorageAt: [
      [CONTRACT, "0x0", "latest"],
      [CONTRACT, "0x0", "0x2"],
    ],
    eth_getBalance: [
      [SENDER, "latest"],
      [SENDER, "0x2"],
      [OTHER, "latest"],
    ],
    eth_getTransactionCount: [
      [SENDER, "latest"],
      [SENDER, "0x2"],
    ],
    eth_getCode: [
      [CONTRACT, "latest"],
      [OTHER, "latest"],
    ],
    eth_call: [
      [call("0x"), "latest"],
      [call("0x"), "0x2"],
      [call(REASON), "latest"],
    ],
    eth_estimateGas: [[call("0x"), "latest"]],
    eth_getLogs: [[{ fromBlock: "0x2", toBlock: "0x3" }], [{ blockHash: second.hash }]],
    eth_chainId: [[]],
    eth_blockNumber: [[]],
  };
  return Object.entries(asked).flatMap(([method, each]) =>
    each.map((params) => ({ method, params })),
  );
}

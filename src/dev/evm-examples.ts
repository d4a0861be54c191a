import { curlLines, type Group } from "./curl-lines.ts";
import type { Samples } from "./samples.ts";

/**
 * Calls for the EVM network of `tollgate dev --examples`, at the network's address with a
 * key. Each call is one line that begins with `curl `; every other line is a comment or code.
 */
export function evmExamples(url: string, samples: Samples): string[] {
  return [
    ...curlLines(url, curlGroups(samples)),
    "",
    "# viem (npm install viem)",
    ...viemSnippet(url, samples),
    "",
    "# ethers (npm install ethers)",
    ...ethersSnippet(url, samples),
  ];
}

/** Three lines of an ES module that print the sample contract's greeting. */
export function viemSnippet(url: string, { contract }: Samples): string[] {
  return [
    `import { createPublicClient, http, parseAbi } from "viem";`,
    `const sample = { address: "${contract}", abi: parseAbi(["${GREETING_ABI}"]) };`,
    `console.log(await createPublicClient({ transport: http("${url}") }).readContract({ ...sample, functionName: "greeting" }));`,
  ];
}

/** Three lines of an ES module that print the sample contract's greeting. */
export function ethersSnippet(url: string, { contract }: Samples): string[] {
  return [
    `import { Contract, JsonRpcProvider } from "ethers";`,
    `const sample = new Contract("${contract}", ["${GREETING_ABI}"], new JsonRpcProvider("${url}"));`,
    `console.log(await sample.greeting());`,
  ];
}

const GREETING_ABI = "function greeting() view returns (string)";

function curlGroups(samples: Samples): Group[] {
  const { transactions, storage, calls, reverts, contract } = samples;
  const { blockNumber, blockHash } = transactions.feeMarket;
  return [
    ["The network", ["eth_chainId", []]],
    [
      `Blocks: ${Number(blockNumber)} with transactions of all five types, by number; then by hash, with their hashes alone`,
      ["eth_getBlockByNumber", [blockNumber, true]],
      ["eth_getBlockByHash", [blockHash, false]],
    ],
    [
      "Transactions: one of type 4 (set code), and the receipt of one with a log",
      [
        "eth_getTransactionByBlockNumberAndIndex",
        [blockNumber, transactions.setCode.transactionIndex],
      ],
      ["eth_getTransactionReceipt", [transactions.legacy.hash]],
    ],
    [
      "Storage of the sample contract: its greeting as ASCII, and a balance in a mapping",
      ["eth_getStorageAt", [contract, storage.greeting.position, "latest"]],
      ["eth_getStorageAt", [contract, storage.balance.position, "latest"]],
    ],
    [
      "Calls: greeting(), balanceOf(address), and the gas that a transfer would need",
      ["eth_call", [calls.greeting, "latest"]],
      ["eth_call", [calls.balanceOf, "latest"]],
      ["eth_estimateGas", [calls.transfer, "latest"]],
    ],
    ["A revert, its reason decoded", ["eth_call", [reverts.reason, "latest"]]],
    [
      "Uncles: null, because a chain under proof of stake, like this one, has none",
      ["eth_getUncleByBlockNumberAndIndex", [blockNumber, "0x0"]],
      ["eth_getUncleByBlockHashAndIndex", [blockHash, "0x0"]],
    ],
    ["What all of this cost today (free to ask)", ["tollgate_usage", []]],
  ];
}

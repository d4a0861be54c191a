import { type StandInNode, startStandInNode } from "./stand-in-node.ts";

/** Every filter may match. */
const FULL_BLOOM = `0x${"f".repeat(512)}`;
const ADDRESS = `0x${"22".repeat(20)}`;
const TOPIC = `0x${"33".repeat(32)}`;

/** A node whose chain a test makes longer, with one log in each block. */
export async function startGrowingNode(): Promise<StandInNode> {
  const node = await startStandInNode();
  node.reply = ({ method, params: [first] }) => {
    if (method === "eth_getBlockByHash") return { result: blockOf(numberIn(String(first))) };
    if (method !== "eth_getLogs") return { result: "0x5" };
    const { blockHash } = first as { readonly blockHash: string };
    return { result: [logOf(numberIn(blockHash))] };
  };
  return node;
}

/** As the stand-in node makes hashes of numbers. */
const hashOf = (number: number): string => `0xa1${(number + 1).toString(16).padStart(62, "0")}`;
const numberIn = (hash: string): number => Number.parseInt(hash.slice(4), 16) - 1;
const quantity = (number: number): string => `0x${number.toString(16)}`;

const blockOf = (number: number): object => ({
  ...{ number: quantity(number), hash: hashOf(number), parentHash: hashOf(number - 1) },
  ...{ logsBloom: FULL_BLOOM, gasLimit: "0x1c9c380", timestamp: "0x65000000" },
});

const logOf = (number: number): object => ({
  ...{ address: ADDRESS, topics: [TOPIC], data: "0x", removed: false, logIndex: "0x0" },
  ...{ blockNumber: quantity(number), blockHash: hashOf(number), transactionIndex: "0x0" },
  transactionHash: `0x${"44".repeat(32)}`,
});

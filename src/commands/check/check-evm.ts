import { type Inquiry, readNumber, readText } from "./check-inquiry.ts";
import { tryNewHeads } from "./check-new-heads.ts";
import { EVM_QUESTIONS } from "./check-questions.ts";
import type { FamilyCheck } from "./check-upstream.ts";

/** Blocks behind the head: what a node without an archive keeps, and beyond. */
const DEPTHS = [1, 128, 1000, 10_000];
const ZERO_ADDRESS = `0x${"00".repeat(20)}`;

export const EVM_CHECK: FamilyCheck = {
  chainMethod: "eth_chainId",
  readChain: readNumber,
  head: async (inquiry) => readNumber(await inquiry.ask("eth_blockNumber")),
  client: async (inquiry) => readText(await inquiry.ask("web3_clientVersion")).value,
  depth: deepestState,
  stream: tryNewHeads,
  questions: EVM_QUESTIONS,
};

async function deepestState(inquiry: Inquiry, head: number): Promise<number | "all" | undefined> {
  const first = Math.min(1, head);
  const depths = DEPTHS.filter((depth) => head - depth > first);
  const asked = [head - first, ...depths.toReversed()].map(async (depth) => {
    const block = `0x${(head - depth).toString(16)}`;
    const answer = await inquiry.ask("eth_getBalance", [ZERO_ADDRESS, block]);
    return readText(answer).fault === undefined ? depth : undefined;
  });
  const deepest = (await Promise.all(asked)).find((depth) => depth !== undefined);
  return deepest === head - first ? "all" : deepest;
}

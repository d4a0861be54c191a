import type { UpstreamAnswer } from "../../transports/upstream-answer.ts";
import { type Inquiry, type Read, readJson, readText, shownText } from "./check-inquiry.ts";
import { SLOT_QUESTIONS } from "./check-questions.ts";
import type { FamilyCheck } from "./check-upstream.ts";

export const SLOT_CHECK: FamilyCheck = {
  chainMethod: "getGenesisHash",
  readChain: readText,
  head: async (inquiry) => readSlot(await inquiry.ask("getSlot", [{ commitment: "confirmed" }])),
  client: readVersion,
  depth: deepestBlock,
  questions: SLOT_QUESTIONS,
};

function readSlot(answer: UpstreamAnswer): Read<number> {
  const { value, fault } = readJson(answer);
  if (fault !== undefined) return { fault };
  if (typeof value === "number" && Number.isSafeInteger(value)) return { value };
  return { fault: "answers with something else than a slot" };
}

async function readVersion(inquiry: Inquiry): Promise<string | undefined> {
  const { value } = readJson(await inquiry.ask("getVersion"));
  const isObject = typeof value === "object" && value !== null && "solana-core" in value;
  return isObject ? shownText(String(value["solana-core"])) : undefined;
}

async function deepestBlock(inquiry: Inquiry, head: number): Promise<number | "all" | undefined> {
  const { value } = readSlot(await inquiry.ask("getFirstAvailableBlock"));
  if (value === undefined) return undefined;
  return value === 0 ? "all" : Math.max(head - value, 0);
}

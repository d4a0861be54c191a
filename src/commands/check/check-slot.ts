import { systemClock } from "../../lib/clock.ts";
import type { TimerWheel } from "../../lib/timer-wheel.ts";
import { redact } from "../../telemetry/redact.ts";
import type { UpstreamAnswer } from "../../transports/upstream-answer.ts";
import { WsStream, type WsStreamOptions } from "../../transports/ws-stream.ts";
import {
  CHECK_MS,
  type Inquiry,
  type Read,
  readJson,
  readText,
  shownText,
} from "./check-inquiry.ts";
import { SLOT_QUESTIONS } from "./check-questions.ts";
import type { FamilyCheck } from "./check-upstream.ts";

export const SLOT_CHECK: FamilyCheck = {
  chainMethod: "getGenesisHash",
  readChain: readText,
  head: async (inquiry) => readSlot(await inquiry.ask("getSlot", [{ commitment: "confirmed" }])),
  client: readVersion,
  depth: deepestBlock,
  stream: trySlots,
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

/** `ok` where the node takes a subscription there; else why not. */
async function trySlots(options: WsStreamOptions, timers: TimerWheel): Promise<string> {
  const told = Promise.withResolvers<string>();
  const node = new WsStream(options, { clock: systemClock, timers });
  const timer = timers.set(CHECK_MS, () => told.resolve(`no answer within ${CHECK_MS / 1000} s`));
  node.subscribe(
    { method: "slotSubscribe", params: "[]" },
    { began: () => told.resolve("ok"), told: () => undefined, ended: told.resolve },
  );
  try {
    return redact(await told.promise).replace(/\s+/g, " ");
  } finally {
    timers.clear(timer);
    node.close();
  }
}

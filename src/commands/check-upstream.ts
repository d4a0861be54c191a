import type { EvmNetworkConfig } from "../config/network-schema.ts";
import { systemClock } from "../lib/clock.ts";
import { TimerWheel } from "../lib/timer-wheel.ts";
import { classify, FAILURE_CLASSES } from "../upstreams/failures.ts";
import { HttpUpstream } from "../upstreams/http-upstream.ts";
import type { UpstreamAnswer } from "../upstreams/upstream-answer.ts";
import { Inquiry, readNumber, readText } from "./check-inquiry.ts";
import { tryNewHeads } from "./check-new-heads.ts";
import { CHECK_QUESTIONS } from "./check-questions.ts";

/** What an upstream's own answers told; undefined where they told nothing, or were not asked for. */
export type Findings = {
  readonly chainId?: number | undefined;
  readonly head?: number | undefined;
  readonly client?: string | undefined;
  readonly methods?: MethodFindings | undefined;
  /** The deepest state that it was asked for and has, blocks behind its head. */
  readonly depth?: number | "all" | undefined;
  readonly latencyMs?: number | undefined;
  /** `ok`, or why not. */
  readonly newHeads?: string | undefined;
  /** Why it cannot be used. */
  readonly fault?: string | undefined;
};

/** Names of methods. */
export type MethodFindings = {
  readonly asked: number;
  readonly lacking: readonly string[];
  /** It said neither that it has them nor that it lacks them. */
  readonly unanswered: readonly string[];
};

export type CheckedUpstream = EvmNetworkConfig["upstreams"][number] & {
  readonly maxResponseBytes: number;
};

const TIMED_CALLS = 5;
/** One after the other, but for so many: some nodes take few at a time. */
const AT_ONCE = 4;
/** Blocks behind the head: what a node without an archive keeps, and beyond. */
const DEPTHS = [1, 128, 1000, 10_000];
const ZERO_ADDRESS = `0x${"00".repeat(20)}`;

/**
 * Asks an upstream what it is and what it can do: some 50 questions in 5 s at most, a partner, who is
 * paid for each, only for its chain and its head.
 */
export async function tryUpstream(upstream: CheckedUpstream): Promise<Findings> {
  const timers = new TimerWheel(systemClock.monotonic);
  const node = new HttpUpstream(upstream, { timers });
  const inquiry = new Inquiry(node, systemClock);
  try {
    const [chain, height] = await Promise.all([
      inquiry.ask("eth_chainId").then(readNumber),
      inquiry.ask("eth_blockNumber").then(readNumber),
    ]);
    const [chainId, head] = [chain.value, height.value];
    const fault = chain.fault ?? height.fault;
    const found = { chainId, head, fault };
    if (head === undefined || fault !== undefined || upstream.role === "partner") return found;
    const [newHeads, answers] = await Promise.all([
      upstream.ws && tryNewHeads({ ...upstream, url: upstream.ws, chainId }, timers),
      tryAnswers(inquiry, head),
    ]);
    return { ...found, newHeads, ...answers };
  } finally {
    await node.close();
  }
}

async function tryAnswers(inquiry: Inquiry, head: number): Promise<Partial<Findings>> {
  // The latency first, while nothing else is asked.
  const latencyMs = await medianLatency(inquiry);
  const client = readText(await inquiry.ask("web3_clientVersion")).value;
  const depth = await deepestState(inquiry, head);
  return { latencyMs, client, depth, methods: await tryMethods(inquiry) };
}

async function medianLatency(inquiry: Inquiry): Promise<number | undefined> {
  const taken: number[] = [];
  for (let call = 0; call < TIMED_CALLS; call += 1) {
    const ms = await inquiry.time("eth_chainId");
    if (ms !== undefined) taken.push(ms);
  }
  return taken.sort((a, b) => a - b)[Math.floor(taken.length / 2)];
}

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

async function tryMethods(inquiry: Inquiry): Promise<MethodFindings> {
  const lacking: string[] = [];
  const unanswered: string[] = [];
  const left = [...CHECK_QUESTIONS];
  const askNext = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const has = hasMethod(await inquiry.ask(next.method, next.params));
      if (has === undefined) unanswered.push(next.method);
      else if (!has) lacking.push(next.method);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askNext));
  return { asked: CHECK_QUESTIONS.length, lacking: lacking.sort(), unanswered: unanswered.sort() };
}

/** Undefined where the answer is no answer to that: a node that fails, or wants fewer calls. */
function hasMethod(answer: UpstreamAnswer): boolean | undefined {
  switch (answer.kind) {
    case "result":
    case "too_large":
      return true;
    case "timeout":
    case "unreachable":
      return undefined;
    case "error":
    case "garbage": {
      const { class: kind } = classify(answer);
      if (kind === "method_unknown") return false;
      const isNone = FAILURE_CLASSES[kind].countsAgainstHealth || kind === "rate_limited";
      return isNone ? undefined : true;
    }
  }
}

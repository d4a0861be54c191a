import { FAILURE_CLASSES } from "../../failures/failure-classes.ts";
import { classify } from "../../failures/failures.ts";
import { systemClock } from "../../lib/clock.ts";
import { TimerWheel } from "../../lib/timer-wheel.ts";
import { transportTo, type UpstreamConfig } from "../../networks/build-upstream.ts";
import type { UpstreamAnswer } from "../../transports/upstream-answer.ts";
import type { WsStreamOptions } from "../../transports/ws-stream.ts";
import { EventLoop } from "../../wire/event-loop.ts";
import type { WireKind } from "../../wire/wire-kind.ts";
import { Inquiry, type Read } from "./check-inquiry.ts";

/** The findings of an upstream's own answers; undefined where they told nothing, or were not asked for. */
export type Findings = {
  /** The chain id, or the genesis hash. */
  readonly chain?: number | string | undefined;
  readonly head?: number | undefined;
  readonly client?: string | undefined;
  readonly methods?: MethodFindings | undefined;
  /** The deepest state that it was asked for and has, blocks behind its head. */
  readonly depth?: number | "all" | undefined;
  readonly latencyMs?: number | undefined;
  /** `ok`, or why not. */
  readonly stream?: string | undefined;
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

export type CheckedUpstream = Omit<UpstreamConfig, "index">;

export type CheckQuestion = { readonly method: string; readonly params: readonly unknown[] };

/** The questions to nodes of a family. */
export type FamilyCheck = {
  /** Cheap, and of the chain: `readChain` reads its answer. */
  readonly chainMethod: string;
  readonly readChain: (answer: UpstreamAnswer) => Read<number | string>;
  readonly head: (inquiry: Inquiry) => Promise<Read<number>>;
  readonly client: (inquiry: Inquiry) => Promise<string | undefined>;
  /** The deepest state that it was asked for and has, blocks behind its head. */
  readonly depth: (inquiry: Inquiry, head: number) => Promise<number | "all" | undefined>;
  /** Whether it tells of what is new over its `ws`: `ok`, or why not. */
  readonly stream: (
    options: WsStreamOptions & { readonly chain: number | string | undefined },
    timers: TimerWheel,
  ) => Promise<string>;
  /** For each method that nodes are asked for, a question that costs next to nothing. */
  readonly questions: readonly CheckQuestion[];
};

const TIMED_CALLS = 5;
/** One after the other, but for so many: some nodes take few at a time. */
const AT_ONCE = 4;

/**
 * Asks an upstream what it is and what it can do: some 50 questions in 5 s at most, a partner, who is
 * paid for each, only for its chain and its head.
 */
export async function tryUpstream(
  upstream: CheckedUpstream,
  family: FamilyCheck,
  wire: WireKind,
): Promise<Findings> {
  const timers = new TimerWheel(systemClock);
  const node = transportTo(upstream, { timers, loop: new EventLoop(wire) });
  const inquiry = new Inquiry(node, systemClock);
  try {
    const [told, height] = await Promise.all([
      inquiry.ask(family.chainMethod).then(family.readChain),
      family.head(inquiry),
    ]);
    const [chain, head] = [told.value, height.value];
    const fault = told.fault ?? height.fault;
    const found = { chain, head, fault };
    if (head === undefined || fault !== undefined || upstream.role === "partner") return found;
    const [stream, answers] = await Promise.all([
      upstream.ws && family.stream({ ...upstream, url: upstream.ws, chain }, timers),
      tryAnswers(inquiry, head, family),
    ]);
    return { ...found, stream, ...answers };
  } finally {
    await node.close();
  }
}

async function tryAnswers(
  inquiry: Inquiry,
  head: number,
  family: FamilyCheck,
): Promise<Partial<Findings>> {
  // The latency first, while nothing else is asked.
  const latencyMs = await medianLatency(inquiry, family.chainMethod);
  const client = await family.client(inquiry);
  const depth = await family.depth(inquiry, head);
  return { latencyMs, client, depth, methods: await tryMethods(inquiry, family.questions) };
}

async function medianLatency(inquiry: Inquiry, method: string): Promise<number | undefined> {
  const taken: number[] = [];
  for (let call = 0; call < TIMED_CALLS; call += 1) {
    const ms = await inquiry.time(method);
    if (ms !== undefined) taken.push(ms);
  }
  return taken.sort((a, b) => a - b)[Math.floor(taken.length / 2)];
}

async function tryMethods(
  inquiry: Inquiry,
  questions: readonly CheckQuestion[],
): Promise<MethodFindings> {
  const lacking: string[] = [];
  const unanswered: string[] = [];
  const left = [...questions];
  const askNext = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const has = hasMethod(await inquiry.ask(next.method, next.params));
      if (has === undefined) unanswered.push(next.method);
      else if (!has) lacking.push(next.method);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askNext));
  return { asked: questions.length, lacking: lacking.sort(), unanswered: unanswered.sort() };
}

/** Undefined where the answer is no answer to that: a node that fails, or wants fewer calls. */
function hasMethod(answer: UpstreamAnswer): boolean | undefined {
  switch (answer.kind) {
    case "result":
    case "too_large":
    case "no_room":
    case "no_place":
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

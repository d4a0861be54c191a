import type { RpcError } from "../jsonrpc/errors.ts";
import type { JsonValue } from "../jsonrpc/value.ts";
import type { Piece } from "../lib/bytes.ts";
import type { MonotonicMs } from "../lib/clock.ts";
import type { CheckOptions } from "../methods/check-params.ts";
import type { Definition, LocalFacts } from "../methods/definition.ts";
import type { Family } from "../methods/families.ts";
import type { ShapeOptions } from "../methods/shapes/shape.ts";
import type { NetworkMetrics } from "../telemetry/metrics.ts";
import type { TracedAttempt } from "../telemetry/traces/call-trace.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import type { Answer } from "./answers.ts";

/** A checked call, as its network has to understand it. */
export type Question = {
  readonly definition: Definition;
  readonly args: readonly JsonValue[];
  /** The text that `encode` makes of them, where it is at hand. */
  readonly text?: string | undefined;
  /** The block, or slot, that the client has seen already; -1: it did not say. */
  readonly minBlock: number;
  /** Whether a partner may answer where no primary can. */
  readonly partner: boolean;
  /** The deadline of the whole call, monotonic milliseconds. */
  readonly deadlineMs: MonotonicMs;
};

/** The meaning of a call's blocks, or slots, at one moment. */
export type Resolution = {
  /** The block that a node has to have; -1: any node will do. */
  readonly block: number;
  /** The block that the call names; the last one of a range; -1: none. */
  readonly named: number;
  /** How far behind the head the state lies that is needed; -1: none, or not known. */
  readonly depth: number;
  /** The block that a tag was resolved to. */
  readonly tagged: number | undefined;
  /** Null for it would contradict the head. */
  readonly exists: boolean;
  /** Above the head: nobody is known to have it. */
  readonly future: boolean;
};

/** The resolution of one call, and what that asks of a node. */
export type Plan = Resolution & {
  readonly definition: Definition;
  /** The params as they are sent: with numbers in place of tags, and the gas within its cap. */
  readonly args: readonly JsonValue[];
  readonly minBlock: number;
  readonly partner: boolean;
  readonly head: number;
  readonly shape: ShapeOptions;
  /** Whether an answer may be kept, and be given where one was. */
  readonly isKept: boolean;
  /** How many reorganisations there had been. */
  readonly epoch: number;
  /** JSON text of `args`, once it was needed. */
  params: string | undefined;
  /** Its `textHash`, once it was needed; 0 before. */
  hash: number;
};

/** Waits for a call's blocks to be resolved. It is told once, before the deadline. */
export type PlanWaiter = { planned(plan: Plan | RpcError): void };

/** Waits for an answer. It is told once, before the deadline. */
export type AnswerWaiter = {
  /** On whose behalf memory is held for the answer. */
  readonly account: string;
  /** The key that the call came with. */
  readonly keyId: string;
  /** Monotonic milliseconds. */
  readonly deadlineMs: MonotonicMs;
  /** Told of each attempt at a node, before it is sent. */
  attempted?(attempt: TracedAttempt): void;
  answered(answer: Answer): void;
};

/** The state of a chain as an operator sees it. */
export type ChainState = {
  readonly chainId?: number | undefined;
  readonly genesisHash?: string | undefined;
  /** `hash` is unknown while only an answer has shown that the block exists; slots have none. */
  readonly head: { readonly number: number; readonly hash: string | undefined } | undefined;
  /** By commitment. */
  readonly slots?: Readonly<Record<string, number>>;
};

type HeadWait = {
  /** `done` is called once, later: whether the head came to be at least `least` within the time. */
  whenHead(
    question: { readonly least: number; readonly timeoutMs: number; readonly partner: boolean },
    done: (reached: boolean) => void,
  ): void;
};

/** One chain: its head, what its blocks are called now, and the upstreams that answer for it. */
export type Network = {
  readonly name: string;
  readonly family: Family;
  /** Asks a node what it is. */
  readonly versionMethod: string;
  /** How the params of its calls are checked. */
  readonly params: CheckOptions;
  /** For a whole call, retries and all. */
  readonly timeoutMs: number;
  readonly upstreams: readonly Upstream[];
  readonly metrics: NetworkMetrics;
  readonly chain: ChainState & HeadWait;
  /** `partner`: for a call that partners may answer, who may have told more than primaries. */
  factsFor(partner: boolean): LocalFacts;
  start(): void;
  stop(): Promise<void>;
  /** Takes an upstream out of use, or puts it back; false where there is none of this name. */
  setDrained(name: string, drained: boolean): boolean;
  /**
   * Stage 6: what the call's blocks mean now. Where something has to be found out first it says
   * `waiting` and tells the waiter later.
   */
  resolve(question: Question, waiter: PlanWaiter): Plan | RpcError | "waiting";
  /** Stage 7: an answer that was kept; undefined where there is none. */
  recall(plan: Plan): readonly Piece[] | RpcError | undefined;
  /** Stage 8: what nodes answer to a plan. */
  fetch(plan: Plan, waiter: AnswerWaiter): void;
  /** Nodes are asked for what is fetched meanwhile when this returns. */
  together(run: () => void): void;
};

export const NO_HEAD: RpcError = {
  name: "unavailable",
  internal: "no upstream has told its head",
};

/** For a client that has seen a block that no node reached in time. */
export function notAvailableYet(block: number): RpcError {
  return { name: "block_not_available", message: `block ${block} is not available yet` };
}

/** Takes the upstream of this name out of use, or puts it back; false where there is none. */
export function drain(upstreams: readonly Upstream[], name: string, drained: boolean): boolean {
  const upstream = upstreams.find((each) => each.name === name);
  if (upstream === undefined) return false;
  upstream.drained = drained;
  return true;
}

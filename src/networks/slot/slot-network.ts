import type { NetworkDisk } from "../../cache/disk-network.ts";
import type { SlotNetworkConfig } from "../../config/network-schema.ts";
import type { RpcError } from "../../jsonrpc/errors.ts";
import type { Piece } from "../../lib/bytes.ts";
import type { Clock } from "../../lib/clock.ts";
import type { CheckOptions } from "../../methods/check-params.ts";
import type { LocalFacts } from "../../methods/definition.ts";
import { FAMILIES } from "../../methods/families.ts";
import { type ShapeOptions, shapeResult } from "../../methods/shapes/shape.ts";
import type { Router } from "../../routing/router.ts";
import type { NetworkMetrics } from "../../telemetry/metrics.ts";
import { isNull } from "../../transports/answer-block.ts";
import type { Upstream } from "../../upstreams/upstream.ts";
import { Answers, type AnswersParts, type ResultOutcome } from "../answers.ts";
import { DiskTier } from "../disk-tier.ts";
import { Needs } from "../needs.ts";
import {
  type AnswerWaiter,
  drain,
  type Network,
  notAvailableYet,
  type Plan,
  type PlanWaiter,
  type Question,
} from "../network.ts";
import { slotsIn } from "./named-slots.ts";
import type { Slots } from "./slot-heads.ts";
import { readSlot } from "./slot-poll.ts";
import type { SlotWatch } from "./slot-watch.ts";

/** Nodes so far apart (some 13 s) are equally good: polls of them are up to 3 slots old. */
const TOLERANCE = { partial: false, slack: 32 };
/** `context` comes first in an answer, and its slot within this. */
const CONTEXT_BYTES = 200;
/** Belongs to no block that could be replaced. */
const CONSTANT = -1;
const GENESIS = 0;
/** Options that its shapes do not look at. */
const SHAPE: ShapeOptions = Object.freeze({
  pending: false,
  pendingBlock: "node",
  signatures: "node",
  finalTotalDifficulty: undefined,
});

export type SlotNetworkParts = Omit<AnswersParts, "metrics" | "disk"> & {
  readonly upstreams: readonly Upstream[];
  readonly router: Router;
  readonly chain: SlotWatch;
  readonly metrics: NetworkMetrics;
  readonly disk?: NetworkDisk | undefined;
};

/** A chain of slots, some of which have no block. */
export class SlotNetwork implements Network {
  readonly name: string;
  readonly family = FAMILIES.slot;
  readonly versionMethod = "getVersion";
  readonly params: CheckOptions = Object.freeze({
    strict: false,
    unknownKeys: "refuse",
    wording: this.family.wording,
  });
  readonly timeoutMs: number;
  readonly upstreams: readonly Upstream[];
  readonly metrics: NetworkMetrics;
  readonly chain: SlotWatch;
  readonly #hasPartners: boolean;
  readonly #router: Router;
  readonly #answers: Answers;
  readonly #needs = new Needs();
  readonly #disk: DiskTier | undefined;
  readonly #clock: Pick<Clock, "monotonic">;

  constructor(config: SlotNetworkConfig, parts: SlotNetworkParts) {
    this.name = config.name;
    this.timeoutMs = config.timeoutMs;
    this.upstreams = parts.upstreams;
    this.#hasPartners = parts.upstreams.some(({ role }) => role === "partner");
    this.metrics = parts.metrics;
    this.chain = parts.chain;
    this.#router = parts.router;
    this.#clock = parts.clock;
    const genesis = () => (this.chain.isChainSure ? this.chain.genesisHash : undefined);
    this.#disk =
      parts.disk &&
      new DiskTier({
        disk: parts.disk,
        clock: parts.clock,
        hashOf: (_block, done) => done(genesis()),
      });
    this.#answers = new Answers(
      {
        needOf: (plan) => this.#needs.of(plan, TOLERANCE),
        ask: (request) => this.#router.fetch(request),
        together: (run) => this.#router.together(run),
        isOfMoment: ({ definition }) => definition.cache === "never",
        accept: (plan, outcome) => this.#accept(plan, outcome),
        blockOf: (plan, { result }) => this.#keptSlot(plan, result),
        isPassing: () => false,
        isShown: ({ definition, named }) =>
          definition.cache === "constant" ||
          (named >= 0 && named <= this.chain.shownSlots.finalized),
      },
      { ...parts, disk: this.#disk },
    );
  }

  factsFor(partner: boolean): LocalFacts {
    const { confirmed } = this.#slots(partner);
    return { chainId: undefined, head: confirmed < 0 ? undefined : confirmed };
  }

  /** `partner`: as those see them whom partners answer. */
  #slots(partner: boolean): Slots {
    return partner ? this.chain.slots : this.chain.shownSlots;
  }

  start(): void {
    this.chain.start();
  }

  async stop(): Promise<void> {
    this.chain.stop();
    await Promise.all(this.upstreams.map((upstream) => upstream.close()));
  }

  setDrained(name: string, drained: boolean): boolean {
    const isFound = drain(this.upstreams, name, drained);
    if (isFound) this.chain.refresh();
    return isFound;
  }

  /** Slots are named by number, so nothing is to be resolved; but nodes are chosen by their head. */
  resolve(question: Question, waiter: PlanWaiter): Plan | RpcError | "waiting" {
    const { minBlock } = question;
    const partner = this.#isPartners(question);
    this.chain.catchUp();
    this.chain.touch(partner);
    const { confirmed } = this.#slots(partner);
    const isAhead = minBlock > confirmed && question.definition.cache !== "constant";
    // Finalized blocks stay: the chain itself is all that has to be the same after a restart.
    this.#disk?.finalized(GENESIS);
    if (confirmed >= 0 && !isAhead) return this.#plan(question);
    this.#waitForHead(question, waiter);
    return "waiting";
  }

  /** Whether a partner may answer the call, where there are any. */
  #isPartners({ partner }: Question): boolean {
    return partner && this.#hasPartners;
  }

  #waitForHead(question: Question, waiter: PlanWaiter): void {
    const { minBlock } = question;
    const timeoutMs = question.deadlineMs - this.#clock.monotonic();
    const least = Math.max(minBlock, 0);
    const partner = this.#isPartners(question);
    this.chain.whenHead({ least, timeoutMs, partner }, (reached) => {
      // Where no head is known any node will do: who knows none may still know the answer.
      if (!reached && minBlock >= 0) waiter.planned(notAvailableYet(minBlock));
      else waiter.planned(this.#plan(question));
    });
  }

  recall(plan: Plan): readonly Piece[] | undefined {
    return this.#answers.recall(plan)?.result;
  }

  fetch(plan: Plan, waiter: AnswerWaiter): void {
    this.#answers.fetch(plan, waiter);
  }

  together(run: () => void): void {
    this.#router.together(run);
  }

  #accept(plan: Plan, { result, upstream }: ResultOutcome): readonly Piece[] | RpcError {
    const { definition, args, shape } = plan;
    const slot = shownSlot(plan, result);
    if (slot !== undefined) {
      const { commitment } = slotsIn(definition, args);
      this.chain.seen(upstream, slot, commitment);
      const known = this.#slots(plan.partner)[commitment];
      // A network's head does not go back because another node answers.
      if (definition.answerSlot === "result" && slot < known) return [Buffer.from(String(known))];
    }
    return shapeResult(definition.shape, result, shape, args);
  }

  /**
   * A finalized block stays for good; before that a block, although confirmed, may still be replaced.
   * Null may become something: a node that has cleaned up is not the only one.
   */
  #keptSlot(plan: Plan, result: readonly Piece[]): number | undefined {
    const { definition, args, named, partner } = plan;
    // Facts that only a partner told of its own chain could not be dropped with it.
    if (!this.chain.isChainSure) return undefined;
    if (definition.cache === "constant") return CONSTANT;
    if (isNull(result)) return undefined;
    const isFinal =
      slotsIn(definition, args).commitment === "finalized" ||
      (named >= 0 && named <= this.#slots(partner).finalized);
    return isFinal ? CONSTANT : undefined;
  }

  #plan(question: Question): Plan {
    const { definition, args, text, minBlock } = question;
    const partner = this.#isPartners(question);
    const { slot, commitment } = slotsIn(definition, args);
    const heads = this.#slots(partner);
    const head = heads.confirmed;
    const isFuture = slot > heads[commitment];
    return {
      args,
      // While nobody's head is known, nobody is known to be behind.
      block: head < 0 ? -1 : Math.min(slot, head),
      named: slot,
      depth: definition.state && slot >= 0 && head >= 0 ? Math.max(head - slot, 0) : -1,
      tagged: undefined,
      // Any slot may have been skipped.
      exists: false,
      future: isFuture,
      definition,
      minBlock,
      partner,
      head,
      shape: SHAPE,
      isKept: definition.cache !== "never" && !isFuture && this.#answers.isKeeping,
      epoch: this.#answers.epoch,
      params: text,
      hash: 0,
    };
  }
}

/** The slot that an answer shows its node to have; undefined where it says nothing of that. */
function shownSlot(
  { definition, named, future }: Plan,
  result: readonly Piece[],
): number | undefined {
  const { answerSlot, lookup } = definition;
  if (answerSlot === undefined) {
    return future && lookup === "block" && !isNull(result) ? named : undefined;
  }
  const text = beginningOf(result);
  if (answerSlot === "result") return readSlot(text);
  const digits = /^\s*\{\s*"context"\s*:\s*\{[^{}]*?"slot"\s*:\s*(\d{1,15})\b/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function beginningOf([first = ""]: readonly Piece[]): string {
  return typeof first === "string"
    ? first.slice(0, CONTEXT_BYTES)
    : first.toString("latin1", 0, CONTEXT_BYTES);
}

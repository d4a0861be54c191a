import type { NetworkDisk } from "../../cache/disk-network.ts";
import type { EvmNetworkConfig } from "../../config/network-schema.ts";
import type { RpcError } from "../../jsonrpc/errors.ts";
import type { Piece } from "../../lib/bytes.ts";
import type { Clock } from "../../lib/clock.ts";
import type { CheckOptions } from "../../methods/check-params.ts";
import type { LocalFacts } from "../../methods/definition.ts";
import { FAMILIES, type Family, withGroups } from "../../methods/families.ts";
import { type ShapeOptions, shapeResult } from "../../methods/shapes/shape.ts";
import type { Router } from "../../routing/router.ts";
import type { RoutedNeed } from "../../routing/routing.ts";
import type { NetworkMetrics } from "../../telemetry/metrics.ts";
import { blockNumberIn, isNull, textIn } from "../../transports/answer-block.ts";
import type { Upstream } from "../../upstreams/upstream.ts";
import { Answers, type AnswersParts, type ResultOutcome } from "../answers.ts";
import { DiskTier } from "../disk-tier.ts";
import { leastBlock, Needs } from "../needs.ts";
import {
  type AnswerWaiter,
  drain,
  type Network,
  NO_HEAD,
  notAvailableYet,
  type Plan,
  type PlanWaiter,
  type Question,
} from "../network.ts";
import { askHash } from "./ask-hash.ts";
import { BlockFinder } from "./block-finder.ts";
import type { ChainWatch, Horizon } from "./chain-watch.ts";
import { isPassing, keptBlock } from "./kept-block.ts";
import { isOfMoment, isPending } from "./pending.ts";
import { type Found, outside, Resolver, sentArgs, sentText, unknownsOf } from "./resolution.ts";
import { KEEPS_UP_BLOCKS } from "./standing.ts";

export type EvmNetworkParts = Omit<AnswersParts, "metrics" | "disk"> & {
  readonly upstreams: readonly Upstream[];
  readonly router: Router;
  readonly chain: ChainWatch;
  readonly metrics: NetworkMetrics;
  readonly disk?: NetworkDisk | undefined;
};

/** No reorganisation went this deep except in an outage of the whole network. */
const FINAL_BLOCKS = 128;
const NOTHING_FOUND: ReadonlyMap<string, undefined> = new Map();

/** One chain: its head, what its blocks are called now, and the upstreams that answer for it. */
export class EvmNetwork implements Network {
  readonly name: string;
  readonly family: Family;
  readonly versionMethod = "web3_clientVersion";
  readonly params: CheckOptions;
  readonly timeoutMs: number;
  readonly upstreams: readonly Upstream[];
  readonly metrics: NetworkMetrics;
  readonly chain: ChainWatch;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #hasPartners: boolean;
  readonly #router: Router;
  readonly #finder: BlockFinder;
  readonly #answers: Answers;
  readonly #needs = new Needs();
  readonly #resolver = new Resolver();
  readonly #window: number | undefined;
  readonly #mined: ShapeOptions;
  readonly #pending: ShapeOptions;

  constructor(config: EvmNetworkConfig, parts: EvmNetworkParts) {
    const { upstreams, router, chain, metrics, clock } = parts;
    this.name = config.name;
    this.family = withGroups(FAMILIES.evm, config.groups);
    this.params = Object.freeze({
      strict: config.strictParams,
      unknownKeys: config.unknownKeys,
      wording: this.family.wording,
    });
    this.timeoutMs = config.timeoutMs;
    this.upstreams = upstreams;
    this.metrics = metrics;
    this.chain = chain;
    this.#clock = clock;
    this.#hasPartners = upstreams.some(({ role }) => role === "partner");
    this.#router = router;
    this.#finder = new BlockFinder(parts);
    const disk =
      parts.disk &&
      new DiskTier({
        disk: parts.disk,
        clock,
        hashOf: (block, done) => askHash(upstreams, block, done),
      });
    this.#answers = new Answers(
      {
        needOf: (plan) => this.#needOf(plan),
        ask: (request) => this.#router.fetch(request),
        together: (run) => this.#router.together(run),
        isOfMoment,
        accept: (plan, outcome) => this.#accept(plan, outcome),
        blockOf: (plan, answer) => keptBlock(plan, answer, chain),
        isPassing,
        isShown: (_plan, block) => chain.isShown(block),
      },
      { ...parts, disk },
    );
    chain.subscribe((change) => {
      if (change.kind === "reorg") {
        this.#answers.reorganised(change.commonAncestor);
        // When a node's new head woke those who wait for it, the node still counted as forked.
        router.wake();
      }
      this.#answers.advanced(chain.shown.head?.number ?? change.to);
      disk?.finalized(change.to - FINAL_BLOCKS);
    });
    this.#window = config.window;
    this.#mined = {
      pending: false,
      pendingBlock: config.pendingBlock,
      signatures: config.signatures,
      finalTotalDifficulty: config.finalTotalDifficulty,
    };
    this.#pending = { ...this.#mined, pending: true };
  }

  factsFor(partner: boolean): LocalFacts {
    const { chainId, head } = this.#horizon(partner);
    return { chainId, head: head?.number };
  }

  /** The chain as those see it whom partners answer, or as primaries alone show it. */
  #horizon(partner: boolean): Horizon {
    return partner ? this.chain : this.chain.shown;
  }

  /** Whether a partner may answer the call, where there are any. */
  #isPartners({ partner }: Question): boolean {
    return partner && this.#hasPartners;
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

  /**
   * Stage 6: what the call's blocks mean now. Where the head, or what a tag or a hash stands for, has
   * to be found out first it says `waiting` and tells the waiter once, later, within the time.
   */
  resolve(question: Question, waiter: PlanWaiter): Plan | RpcError | "waiting" {
    const { definition, args, minBlock } = question;
    if (definition.cache !== "constant" && !this.chain.isInStep) {
      this.chain.whenInStep(() => this.#goOn(question, waiter));
      return "waiting";
    }
    const partner = this.#isPartners(question);
    const head = this.#horizon(partner).head?.number ?? -1;
    const needsHead = definition.needsHead === true || definition.places.needHead;
    if (needsHead) this.chain.touch(partner);
    const isAhead = minBlock > head && definition.cache !== "constant";
    if ((needsHead && head < 0) || isAhead) {
      this.#waitForHead(question, waiter);
      return "waiting";
    }
    const unknowns = unknownsOf(definition, args, this.#window !== undefined);
    if (unknowns.length === 0) return this.#plan(question, NOTHING_FOUND);
    return this.#findOut(unknowns, question, waiter);
  }

  #findOut(
    unknowns: readonly string[],
    question: Question,
    waiter: PlanWaiter,
  ): Plan | RpcError | "waiting" {
    let planned: Plan | RpcError | "waiting" = "waiting";
    let isWaiting = false;
    const finding = { ...question, partner: this.#isPartners(question) };
    this.#finder.find(unknowns, finding, (found) => {
      const plan = this.#plan(question, found);
      if (isWaiting) waiter.planned(plan);
      else planned = plan;
    });
    isWaiting = true;
    return planned;
  }

  recall(plan: Plan): readonly Piece[] | RpcError | undefined {
    const recalled = this.#answers.recall(plan);
    if (recalled === undefined) return undefined;
    return this.#outside(recalled.block, plan.partner) ?? recalled.result;
  }

  fetch(plan: Plan, waiter: AnswerWaiter): void {
    this.#answers.fetch(plan, waiter);
  }

  together(run: () => void): void {
    this.#router.together(() => this.chain.atOnce(run));
  }

  #needOf(plan: Plan): RoutedNeed {
    const places = plan.definition.places;
    const partial = places.filter >= 0 || isPending(plan.args, places.block);
    const slack = leastBlock(plan) < 0 ? 0 : KEEPS_UP_BLOCKS;
    return this.#needs.of(plan, { partial, slack });
  }

  #accept(plan: Plan, outcome: ResultOutcome): readonly Piece[] | RpcError {
    const { definition, args, shape, named, future, partner } = plan;
    const { result } = outcome;
    const { answerBlock, lookup } = definition;
    if (answerBlock !== undefined) {
      const block = blockNumberIn(result, answerBlock);
      if (block !== undefined) {
        this.#see(plan, outcome, block);
        const refusal = this.#outside(block, partner);
        if (refusal !== undefined) return refusal;
      }
    } else if (future && lookup !== undefined && !isNull(result)) {
      this.#see(plan, outcome, named);
    }
    return shapeResult(definition.shape, result, shape, args);
  }

  /** The hash is looked for where it is news: what is known is compared before an answer is kept. */
  #see({ definition: { shows } }: Plan, { result, upstream }: ResultOutcome, block: number): void {
    const isNews = shows !== undefined && block > this.chain.newestHashed;
    this.chain.seen(upstream, block, isNews ? textIn(result, shows) : undefined);
  }

  #outside(block: number, partner: boolean): RpcError | undefined {
    const window = this.#window;
    if (window === undefined || block < 0) return undefined;
    const head = this.#horizon(partner).head?.number ?? -1;
    return block <= head - window ? outside(window) : undefined;
  }

  #plan(question: Question, found: Found): Plan | RpcError {
    const { definition, args, text, minBlock } = question;
    const partner = this.#isPartners(question);
    const known = this.#horizon(partner).head;
    const head = known?.number ?? -1;
    const moment = { head, gasLimit: known?.gasLimit, window: this.#window, found };
    const resolution = this.#resolver.resolve(definition, args, moment);
    if ("name" in resolution) return resolution;
    const shape = isPending(args, definition.places.block) ? this.#pending : this.#mined;
    // Nothing in the pending block stays as it is.
    const isKeepable = definition.cache === "block" && shape === this.#mined;
    const sent = sentArgs(definition, args, moment);
    // Member by member: each call makes one, and to spread an object costs more than its work.
    return {
      args: sent,
      block: resolution.block,
      named: resolution.named,
      depth: resolution.depth,
      tagged: resolution.tagged,
      exists: resolution.exists,
      future: resolution.future,
      definition,
      minBlock,
      partner,
      head,
      shape,
      isKept: isKeepable && !resolution.future && this.#answers.isKeeping,
      epoch: this.#answers.epoch,
      params: sentText(definition, { args, sent, text }),
      hash: 0,
    };
  }

  #waitForHead(question: Question, waiter: PlanWaiter): void {
    const { minBlock } = question;
    const partner = this.#isPartners(question);
    const timeoutMs = question.deadlineMs - this.#clock.monotonic();
    this.chain.whenHead({ least: Math.max(minBlock, 0), timeoutMs, partner }, (reached) => {
      if (!reached) {
        const isBehind = this.#horizon(partner).head !== undefined;
        waiter.planned(isBehind ? notAvailableYet(minBlock) : NO_HEAD);
        return;
      }
      this.#goOn(question, waiter);
    });
  }

  /** Resolves a call that had to wait. */
  #goOn(question: Question, waiter: PlanWaiter): void {
    const plan = this.resolve(question, waiter);
    if (plan !== "waiting") waiter.planned(plan);
  }
}

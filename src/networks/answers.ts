import { Doorkeeper } from "../cache/doorkeeper.ts";
import type { Stored } from "../cache/entry.ts";
import type { MethodCache } from "../cache/memory-cache.ts";
import type { RpcError } from "../jsonrpc/errors.ts";
import { type Piece, sizeOf, wholeBytes, wholeText } from "../lib/bytes.ts";
import type { Clock } from "../lib/clock.ts";
import { textHash } from "../lib/text-hash.ts";
import { TextTable } from "../lib/text-table.ts";
import type { Timers } from "../lib/timer-wheel.ts";
import type { Definition } from "../methods/definition.ts";
import type { FetchOutcome, RoutedNeed, RoutedRequest } from "../routing/routing.ts";
import type { NetworkMetrics } from "../telemetry/metrics.ts";
import { isOneValue } from "../transports/large-result.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import type { LargeBuffers } from "../wire/bytes/large-buffers.ts";
import type { DiskTier } from "./disk-tier.ts";
import type { AnswerWaiter, Plan } from "./network.ts";
import { diskKeyOf, flightKeyOf, hashOf, paidKeyOf, paramsOf, sentParamsOf } from "./plan-keys.ts";
import { type Joined, SharedFlight, type SharedFlightParts } from "./shared-flight.ts";

/** The outcome of asking nodes. A result is in the documented shape. */
export type Answer =
  | { readonly kind: "result"; readonly result: readonly Piece[]; readonly upstream: Upstream }
  | { readonly kind: "refused"; readonly error: RpcError }
  | Exclude<FetchOutcome, { kind: "result" }>;

/** An answer that was kept, and the block that it belongs to; -1: a constant. */
export type Recalled = { readonly result: readonly Piece[]; readonly block: number };

/** How a family of networks reads its plans. */
export type AnswerRules = {
  /** The need of the plan's call, which chooses the node. */
  readonly needOf: (plan: Plan) => RoutedNeed;
  /** Asks the network's nodes. */
  readonly ask: (request: RoutedRequest) => void;
  /** Nodes are asked for what is asked meanwhile when this returns. */
  readonly together: (run: () => void) => void;
  /** Whether a node's answer can change from one moment to the next while its head stays. */
  readonly isOfMoment: (plan: Plan) => boolean;
  /** A node's result in the documented shape; or why the network does not give it. */
  readonly accept: (plan: Plan, outcome: ResultOutcome) => readonly Piece[] | RpcError;
  /** The block with which the answer is to be kept, -1 for good; undefined: it is not kept. */
  readonly blockOf: (plan: Plan, answer: ResultOutcome) => number | undefined;
  /** Whether the answer is to be forgotten soon. */
  readonly isPassing: (plan: Plan) => boolean;
  /** Whether a primary has shown the block that an answer of a partner is kept with. */
  readonly isShown: (plan: Plan, block: number) => boolean;
};

export type ResultOutcome = Extract<FetchOutcome, { kind: "result" }>;

/** The memory cache of one network. */
export type NetworkCache = {
  /** Nothing is ever kept. */
  readonly isOff: boolean;
  readonly open: (method: string) => MethodCache;
};

export type AnswersParts = {
  readonly cache: NetworkCache;
  /** Where one is configured. */
  readonly disk?: DiskTier | undefined;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly metrics: Pick<NetworkMetrics, "cache">;
  readonly buffers: Pick<LargeBuffers, "keep">;
  /** Runs it once all calls that arrived in this turn of the event loop were read. */
  readonly turnEnds: (run: () => void) => void;
};

/** The known calls of one method, by the text of their params. */
type Known = {
  readonly kept: MethodCache;
  /** Whether answers are asked for again is a matter of the method. */
  readonly door: Doorkeeper;
  readonly inAir: TextTable<SharedFlight>;
};

/** Up to here a kept answer is a string, which is written with its head in one go. */
const TEXT_BYTES = 8192;
/** Clients that asked for `latest` have gone on to the next block by then. */
const PASSING_BLOCKS = 4;

/**
 * One network's answers: what is kept is not asked for again, and what is being asked is asked once.
 * A reorganisation drops what belongs to blocks that it replaced, and keeps late answers out.
 */
export class Answers {
  readonly #rules: AnswerRules;
  readonly #parts: AnswersParts;
  readonly #known = new Map<Definition, Known>();
  readonly #flightParts: SharedFlightParts;
  /** Questions about the moment, which nodes are asked at the end of this turn. */
  #gathered: SharedFlight[] = [];
  #epoch = 0;
  /** Whether anything was kept that only those are given whom partners answer. */
  #keepsPaid = false;

  constructor(rules: AnswerRules, parts: AnswersParts) {
    this.#rules = rules;
    this.#parts = parts;
    const { clock, timers } = parts;
    this.#flightParts = {
      ...{ clock, timers },
      answered: (flight, outcome) => this.#land(flight, outcome),
      again: (first, ...others) => this.#ask(first, ...others),
    };
  }

  /** Counts reorganisations: an answer to a plan of an earlier one may be of a replaced block. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Whether anything is kept at all. */
  get isKeeping(): boolean {
    const { cache, disk } = this.#parts;
    return disk !== undefined || !cache.isOff;
  }

  /** Blocks above this one were replaced. */
  reorganised(commonAncestor: number): void {
    this.#epoch += 1;
    for (const { kept } of this.#known.values()) kept.dropAbove(commonAncestor);
    this.#parts.disk?.reorganised(commonAncestor);
  }

  /** Nobody asks again for a block that was asked for by a tag a while ago. */
  advanced(head: number): void {
    for (const { kept } of this.#known.values()) kept.forgetPassing(head - PASSING_BLOCKS);
  }

  recall(plan: Plan): Recalled | undefined {
    if (!plan.isKept) return undefined;
    const { kept, door } = this.#knownOf(plan);
    const stored =
      kept.get(paramsOf(plan), hashOf(plan)) ??
      this.#recallFromDisk(plan, kept) ??
      (plan.partner && this.#keepsPaid ? kept.get(paidKeyOf(plan)) : undefined);
    const { hits, misses } = this.#parts.metrics.cache;
    if (stored === undefined) {
      misses.inc();
      return undefined;
    }
    hits.inc();
    door.hit();
    return { result: [stored.value], block: stored.block };
  }

  fetch(plan: Plan, waiter: AnswerWaiter): void {
    const key = flightKeyOf(plan);
    const hash = key === plan.params ? hashOf(plan) : textHash(key);
    const { inAir } = this.#knownOf(plan);
    const flying = inAir.find(key, hash);
    // An answer that was asked for before a reorganisation may be of a block that it replaced.
    if (flying !== undefined && flying.plan.epoch === plan.epoch) {
      this.#parts.metrics.cache.shared.inc();
      flying.join({ plan, waiter, isLate: !this.#rules.isOfMoment(plan) });
      return;
    }
    this.#ask({ plan, waiter, isLate: false });
  }

  /** One question for all of these, who joined before it was asked. */
  #ask({ plan, waiter: lead }: Joined, ...others: readonly Joined[]): void {
    const key = flightKeyOf(plan);
    const hash = key === plan.params ? hashOf(plan) : textHash(key);
    const need = this.#rules.needOf(plan);
    const asked = { key, hash, plan, need, params: sentParamsOf(plan), lead };
    const flight = new SharedFlight(asked, this.#flightParts);
    // It may be answered before this returns.
    for (const other of others) flight.join({ ...other, isLate: false });
    this.#knownOf(plan).inAir.add(flight);
    if (this.#rules.isOfMoment(plan)) this.#gather(flight);
    else this.#rules.ask(flight);
  }

  /**
   * Whoever asks after the node was asked may know of something that the node did not have then. So
   * the question is closed before it is sent, and sent once the calls of this turn have joined it.
   */
  #gather(flight: SharedFlight): void {
    if (this.#gathered.length === 0) this.#parts.turnEnds(() => this.#askGathered());
    this.#gathered.push(flight);
  }

  #askGathered(): void {
    const flights = this.#gathered;
    this.#gathered = [];
    for (const flight of flights) this.#close(flight);
    this.#rules.together(() => flights.forEach(this.#rules.ask));
  }

  #close(flight: SharedFlight): void {
    if (flight.isOpen) this.#knownOf(flight.plan).inAir.remove(flight);
    flight.isOpen = false;
  }

  #land(flight: SharedFlight, outcome: FetchOutcome): void {
    this.#close(flight);
    const answer = outcome.kind === "result" ? this.#answerOf(flight, outcome) : outcome;
    // Each of them gives the bytes back once they are written.
    if (flight.isShared && answer.kind === "result") this.#keepBytes(answer.result);
    flight.land(answer);
  }

  #keepBytes(result: readonly Piece[]): void {
    for (const piece of result) if (typeof piece !== "string") this.#parts.buffers.keep(piece);
  }

  #answerOf(flight: SharedFlight, outcome: ResultOutcome): Answer {
    const { plan } = flight;
    const result = this.#rules.accept(plan, outcome);
    if ("name" in result) return { kind: "refused", error: result };
    const answer = result === outcome.result ? outcome : { ...outcome, result };
    if (plan.isKept && this.#isWanted(flight)) {
      if (outcome.upstream.role === "partner") this.#keepPaid(plan, answer);
      else this.#keep(plan, answer);
    }
    return answer;
  }

  /** Whether it may be kept, and is likely to be asked for again. */
  #isWanted({ plan, isShared }: SharedFlight): boolean {
    if (plan.epoch !== this.#epoch) return false;
    const { door } = this.#knownOf(plan);
    // Others asked for it while it was in the air: it does come again.
    if (isShared) door.hit();
    return door.admits(hashOf(plan)) || isShared;
  }

  #keep(plan: Plan, answer: ResultOutcome): void {
    const hash = hashOf(plan);
    const { disk } = this.#parts;
    const { kept } = this.#knownOf(plan);
    const { credits } = plan.definition;
    const passing = this.#rules.isPassing(plan);
    // A large answer that has no place is neither searched for its block nor joined.
    let stored: Stored | undefined;
    const read = () => {
      stored ??= this.#stored(plan, answer);
      return stored;
    };
    const offered = { length: sizeOf(answer.result), hash, read };
    kept.offer(paramsOf(plan), offered, { credits, passing });
    const written = disk && read();
    if (written !== undefined) disk?.set(diskKeyOf(plan), written);
  }

  /** Other plans get it once a primary has shown its block: until then it is theirs who pay for it. */
  #keepPaid(plan: Plan, answer: ResultOutcome): void {
    const stored = this.#stored(plan, answer);
    if (stored === undefined) return;
    if (this.#rules.isShown(plan, stored.block)) {
      this.#keep(plan, answer);
      return;
    }
    this.#keepsPaid = true;
    const passing = this.#rules.isPassing(plan);
    const { credits } = plan.definition;
    this.#knownOf(plan).kept.set(paidKeyOf(plan), stored, { credits, passing });
  }

  #stored(plan: Plan, answer: ResultOutcome): Stored | undefined {
    const block = this.#rules.blockOf(plan, answer);
    if (block === undefined || !isOneValue(answer.result)) return undefined;
    return { value: whole(answer.result), block };
  }

  #knownOf({ definition }: Plan): Known {
    let known = this.#known.get(definition);
    if (known === undefined) {
      const kept = this.#parts.cache.open(definition.method);
      known = { kept, door: new Doorkeeper(), inAir: new TextTable() };
      this.#known.set(definition, known);
    }
    return known;
  }

  #recallFromDisk(plan: Plan, kept: MethodCache): Stored | undefined {
    const stored = this.#parts.disk?.get(diskKeyOf(plan), plan.named);
    if (stored === undefined) return undefined;
    kept.set(paramsOf(plan), stored, { credits: plan.definition.credits, passing: false });
    return stored;
  }
}

function whole(result: readonly Piece[]): Piece {
  return sizeOf(result) <= TEXT_BYTES ? wholeText(result) : wholeBytes(result);
}

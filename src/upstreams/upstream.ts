import { wholeText } from "../lib/bytes.ts";
import type { Clock, MonotonicMs } from "../lib/clock.ts";
import type { Asker, InAir, Transport, UpstreamRequest } from "../transports/transport.ts";
import type { UpstreamAnswer } from "../transports/upstream-answer.ts";
import type { NewHead } from "../transports/ws-frame.ts";
import type { WsStream } from "../transports/ws-stream.ts";
import { Abilities } from "./abilities.ts";
import { Allowance } from "./allowance.ts";
import { Attempt } from "./attempt.ts";
import { Breaker } from "./breaker.ts";
import { LastError } from "./last-error.ts";
import { PeakLatency } from "./latency.ts";
import type { NodeCosts } from "./node-costs.ts";
import { isFault, judge, labelOf } from "./verdict.ts";

export type UpstreamOptions = {
  readonly name: string;
  readonly role: "primary" | "partner";
  /** Its place in the configuration: of two forks the first one's is right. */
  readonly index: number;
  readonly lacks: readonly string[];
  readonly archive: boolean | "auto";
  readonly requestsPerSecond?: number | undefined;
};

/** Say which chain a node is of. */
const IDENTITY_METHODS: ReadonlySet<string> = new Set(["eth_chainId", "getGenesisHash"]);

/** Told of every attempt: `outcome` is `ok`, a failure class, or what broke the connection. */
export type AttemptObserver = (outcome: string, seconds: number) => void;

/** Where a node tells of its new blocks by itself. It connects again whenever it breaks. */
export type HeadSource = {
  /** `onState(true)`: the node has taken the subscription, each time anew. */
  readonly start: (onHead: (head: NewHead) => void, onState: (flows: boolean) => void) => void;
  readonly stop: () => void;
  /** Where it tells of transactions that wait to be mined, too: who is told of their hashes. */
  readonly onPending?: (told: (hash: string) => void) => void;
};

export type UpstreamParts = {
  readonly transport: Transport;
  /** Where it has `ws`. */
  readonly heads?: HeadSource | undefined;
  /** Where it has `ws`, in a slot network: what it tells of by itself. */
  readonly stream?: WsStream | undefined;
  /** Where its calls are billed. */
  readonly costs?: NodeCosts | undefined;
  readonly clock: Clock;
  readonly observe: AttemptObserver;
  readonly events: UpstreamEvents;
  /** Counts a question against the caps of partners; absent for a primary. */
  readonly askCaps?: AskCaps | undefined;
};

/** Answers within the time, once. */
export type AskCaps = (timeoutMs: number, done: (allowed: boolean) => void) => void;

/** Events that the network wants to know at once. */
export type UpstreamEvents = {
  /** It is known to have a higher block than before. */
  readonly advanced: () => void;
  /** Its breaker opened or closed. */
  readonly changed: (upstream: Upstream) => void;
  /** Its breaker is open, and it answers all the same: its probe is due sooner. */
  readonly answering: () => void;
  /** Its connection broke: who answers there next may be of another chain. */
  readonly broke: (upstream: Upstream) => void;
  /** A question for the network's own sake came to its end. */
  readonly asked: () => void;
};

/** The state that an operator is shown. `ready`: it is asked like any other. */
export type UpstreamState =
  | "ready"
  | "drained"
  | "wrong chain"
  | "breaker open"
  | "limited"
  | "used up"
  | "not reached yet"
  | "on another fork";

/** One node, or a paid service, as its network sees it: the way to it, and what is known of it. */
export class Upstream {
  readonly name: string;
  readonly role: "primary" | "partner";
  readonly index: number;
  readonly breaker: Breaker;
  readonly latency: PeakLatency;
  readonly allowance: Allowance;
  readonly abilities: Abilities;
  readonly lastError: LastError;
  /** An operator took it out of use. */
  drained = false;
  /** Whether its chain id is the network's. */
  chain: "unknown" | "right" | "wrong" = "unknown";
  /** Its head is a block of another fork than the network's. */
  isForked = false;
  /** The last block that both forks have, where that is known; else Infinity. */
  forkedAfter = Number.POSITIVE_INFINITY;
  /** web3_clientVersion; null where it gave none, undefined where nobody asked yet. */
  clientVersion: string | null | undefined;
  /** False where it left the network's own last question unanswered, and answered no client since. */
  isReached: boolean | undefined;
  readonly heads: HeadSource | undefined;
  readonly stream: WsStream | undefined;
  readonly costs: NodeCosts | undefined;
  readonly #transport: Transport;
  readonly #events: UpstreamEvents;
  readonly #askCaps: AskCaps | undefined;
  #head = -1;
  readonly #clock: Clock;
  readonly #observe: AttemptObserver;
  /** Those in the air are a list in the order of their beginning. */
  #oldest: Attempt | undefined;
  #newest: Attempt | undefined;
  #inFlight = 0;

  constructor(options: UpstreamOptions, parts: UpstreamParts) {
    const { name, role, index, lacks, archive, requestsPerSecond } = options;
    const { transport, heads, stream, costs, clock, observe, events, askCaps } = parts;
    this.#askCaps = role === "partner" ? askCaps : undefined;
    this.name = name;
    this.role = role;
    this.index = index;
    this.heads = heads;
    this.stream = stream;
    this.costs = costs;
    this.#transport = transport;
    this.#events = events;
    this.#clock = clock;
    this.#observe = observe;
    this.breaker = new Breaker(clock, {
      onChange: () => this.#healthChanged(),
      onSooner: () => events.answering(),
    });
    this.latency = new PeakLatency(clock);
    this.allowance = new Allowance({ requestsPerSecond }, clock);
    this.abilities = new Abilities({ lacks, archive }, clock);
    this.lastError = new LastError(clock);
  }

  /** The highest block that it is known to have; -1: nothing is known. */
  get head(): number {
    return this.#head;
  }

  set head(number: number) {
    const isHigher = number > this.#head;
    this.#head = number;
    if (isHigher) this.#events.advanced();
  }

  /** The cost of the next call there, in expected milliseconds. */
  cost(now: MonotonicMs): number {
    return this.latency.cost(this.#inFlight, this.#oldest?.beganMs, now);
  }

  /** The units of its month are: it is asked nothing. */
  get isUsedUp(): boolean {
    return this.costs?.isUsedUp === true;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get state(): UpstreamState {
    if (this.drained) return "drained";
    if (this.isUsedUp) return "used up";
    if (this.chain === "wrong") return "wrong chain";
    if (this.breaker.state !== "closed") return "breaker open";
    if (this.chain === "unknown") return "not reached yet";
    if (this.isForked) return "on another fork";
    return this.allowance.isLimited() ? "limited" : "ready";
  }

  /** An attempt here begins, which `end` or `abandon` has to end. */
  begin(attempt: Attempt): void {
    this.breaker.tryEnter();
    this.allowance.take(attempt.beganMs);
    this.#begin(attempt);
  }

  #begin(attempt: Attempt): void {
    const before = this.#newest;
    attempt.before = before;
    if (before === undefined) this.#oldest = attempt;
    else before.after = attempt;
    this.#newest = attempt;
    this.#inFlight += 1;
  }

  /**
   * A question for the network's own sake. `done` is called once, within the time: with the result's
   * JSON text, or undefined where none came, which counts against the node like any call.
   */
  ask(request: UpstreamRequest, done: (result: string | undefined) => void): void {
    // Once for each process and connection: the check of the chain is not worth a call of the cap.
    const isFree = this.#askCaps === undefined || IDENTITY_METHODS.has(request.method);
    if (isFree) this.#ask(request, done);
    else {
      this.#askCaps?.(request.timeoutMs, (allowed) => {
        if (allowed) this.#ask(request, done);
        else done(undefined);
      });
    }
  }

  #ask(
    request: UpstreamRequest,
    done: (result: string | undefined) => void,
    isRepeated = false,
  ): void {
    // The trial of a half-open breaker is for a client's call, whose success closes it.
    const attempt = new Attempt(this, this.#clock.monotonic());
    this.allowance.takeOwn(attempt.beganMs);
    this.#begin(attempt);
    const answered = (answer: UpstreamAnswer) => {
      if (answer.kind === "unreachable" && answer.isStale === true && !isRepeated) {
        this.end(attempt, "stale");
        this.#ask(request, done, true);
        return;
      }
      const verdict = judge(request.method, answer);
      this.end(attempt, labelOf(verdict));
      this.lastError.noteAnswer(verdict, answer);
      const fault = isFault(verdict);
      if (fault) this.breaker.failed(attempt.beganMs);
      this.isReached = !fault;
      this.#events.asked();
      if ("result" in verdict) {
        const text = wholeText(verdict.result);
        this.#transport.release?.(verdict.result);
        done(text);
      } else done(undefined);
    };
    this.send({ ...request, alone: true }, { answered });
  }

  send(request: UpstreamRequest, asker: Asker): InAir {
    return this.#transport.call(request, asker);
  }

  /** The attempt was answered, in this way. Returns the milliseconds that it took. */
  end(attempt: Attempt, outcome: string, now: MonotonicMs = this.#clock.monotonic()): number {
    this.#remove(attempt);
    const tookMs = now - attempt.beganMs;
    this.#observe(outcome, tookMs / 1000);
    return tookMs;
  }

  #remove(attempt: Attempt): void {
    const { before, after } = attempt;
    if (before === undefined) this.#oldest = after;
    else before.after = after;
    if (after === undefined) this.#newest = before;
    else after.before = before;
    // One that the collector has not found yet must not keep all that came after it.
    attempt.before = undefined;
    attempt.after = undefined;
    this.#inFlight -= 1;
  }

  /** Another was faster. How long it took is not known, but that it was too long. */
  abandon(attempt: Attempt): void {
    const tookMs = this.end(attempt, "abandoned");
    this.latency.record(tookMs);
    this.breaker.stalled(attempt.beganMs);
  }

  /** Its connection ended: who answers there next may be of another chain, or have lost its blocks. */
  broke(): void {
    this.#head = -1;
    this.clientVersion = undefined;
    this.#events.broke(this);
  }

  /** Whether its chain has to be checked before it is asked for a client. */
  get isUnchecked(): boolean {
    return this.chain === "unknown" || !this.#transport.isConnected;
  }

  #healthChanged(): void {
    // Its latency while it failed says nothing of it now.
    if (this.breaker.state === "half-open") this.latency.reset();
    this.#events.changed(this);
  }

  close(): Promise<void> {
    this.stream?.close();
    return this.#transport.close();
  }
}

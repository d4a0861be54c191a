import type { Clock } from "../lib/clock.ts";
import type { Timer, Timers } from "../lib/timer-wheel.ts";
import { isHealthy } from "../networks/tracked-upstream.ts";
import type { Upstream } from "../upstreams/upstream.ts";

/** One node has so long. */
const ASK_MS = 5000;
/** After so long another one is asked beside it: it may hang. */
const BESIDE_MS = 500;

type AskedUpstream = Pick<
  Upstream,
  "role" | "chain" | "drained" | "breaker" | "isForked" | "head" | "cost" | "ask"
>;

export type NodeQuestionsParts = {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly upstreams: readonly AskedUpstream[];
};

export type NodeQuestion = {
  readonly method: string;
  /** JSON text of the positional params. */
  readonly params: string;
  /** Nodes that are known to have this block are asked first. */
  readonly block: number;
};

/**
 * Questions of the gateway's own about one block, which some node can answer sooner or later. Primaries alone are
 * asked, one after the other, until one tells what is believed.
 */
export class NodeQuestions {
  readonly #parts: NodeQuestionsParts;

  constructor(parts: NodeQuestionsParts) {
    this.#parts = parts;
  }

  /**
   * `read` takes the result's JSON text in UTF-8 bytes, and gives undefined for what is not believed. `done` is called once, later
   * or at once: with undefined where no node told. Returns what gives the question up.
   */
  ask<Answer>(
    question: NodeQuestion,
    read: (result: string) => Answer | undefined,
    done: (answer: Answer | undefined) => void,
  ): () => void {
    const round = new Round(this.#parts, { question, read, done });
    round.next();
    return () => round.end();
  }
}

type Asked<Answer> = {
  readonly question: NodeQuestion;
  readonly read: (result: string) => Answer | undefined;
  readonly done: (answer: Answer | undefined) => void;
};

type Candidate = {
  readonly one: AskedUpstream;
  readonly isLast: boolean;
  readonly cost: number;
};

const isBetter = (one: Candidate, other: Candidate | undefined): boolean =>
  other === undefined || (one.isLast === other.isLast ? one.cost < other.cost : other.isLast);

class Round<Answer> {
  readonly #parts: NodeQuestionsParts;
  readonly #asked: Asked<Answer>;
  readonly #nodes = new Set<AskedUpstream>();
  #inAir = 0;
  #beside: Timer | undefined;
  #isOver = false;

  constructor(parts: NodeQuestionsParts, asked: Asked<Answer>) {
    this.#parts = parts;
    this.#asked = asked;
  }

  next(): void {
    this.#stopTimer();
    const upstream = this.#best();
    if (upstream === undefined && this.#inAir === 0) {
      this.#tell(undefined);
      return;
    }
    // Who was not healthy may be so by then.
    this.#beside = this.#parts.timers.set(BESIDE_MS, () => {
      this.#beside = undefined;
      this.next();
    });
    if (upstream !== undefined) this.#askOne(upstream);
  }

  /** Of those that were not asked yet: who has the block, of those the fastest. */
  #best(): AskedUpstream | undefined {
    const now = this.#parts.clock.monotonic();
    const { block } = this.#asked.question;
    return this.#parts.upstreams
      .filter((one) => one.role === "primary" && isHealthy(one) && !this.#nodes.has(one))
      .map((one) => ({ one, isLast: one.isForked || one.head < block, cost: one.cost(now) }))
      .reduce<Candidate | undefined>(
        (best, next) => (isBetter(next, best) ? next : best),
        undefined,
      )?.one;
  }

  #askOne(upstream: AskedUpstream): void {
    const { question, read } = this.#asked;
    const { method, params } = question;
    this.#nodes.add(upstream);
    this.#inAir += 1;
    upstream.ask({ method, params, timeoutMs: ASK_MS }, (result) => {
      this.#inAir -= 1;
      if (this.#isOver) return;
      const answer = result === undefined ? undefined : read(result);
      if (answer === undefined) this.next();
      else this.#tell(answer);
    });
  }

  /** Whoever was asked is not listened to any more. */
  end(): void {
    this.#isOver = true;
    this.#stopTimer();
  }

  #tell(answer: Answer | undefined): void {
    if (this.#isOver) return;
    this.end();
    this.#asked.done(answer);
  }

  #stopTimer(): void {
    if (this.#beside !== undefined) this.#parts.timers.clear(this.#beside);
    this.#beside = undefined;
  }
}

import type { Failure } from "../failures/failures.ts";
import type { Piece } from "../lib/bytes.ts";
import type { MonotonicMs } from "../lib/clock.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import { isFault, type Verdict } from "../upstreams/verdict.ts";
import { FailureLog } from "./failure-log.ts";
import { NullAnswers } from "./null-answers.ts";
import type { FetchOutcome, FlightParts, RoutedNeed } from "./routing.ts";

const NULL = ["null"];

/** All but a result, which is its call's outcome whatever was found before. */
type NoResult = Exclude<Verdict, { kind: "result" }>;

/** The node that answered. */
export type Source = {
  readonly upstream: Upstream;
  /** It did not have the block when it was asked: what it does not find may exist. */
  readonly behind: boolean;
  /** When it was asked. */
  readonly beganMs: MonotonicMs;
};

export type Others = {
  /** The healthy node with the highest head among those that were not asked yet. */
  another(): Upstream | undefined;
};

/** The findings of the attempts of one call, and the outcome that follows. */
export class Findings {
  readonly #need: RoutedNeed;
  readonly #parts: Pick<FlightParts, "observer" | "primaries">;
  readonly #others: Others;
  /** Made where they are needed: nearly all calls have their result at once. */
  #failures: FailureLog | undefined;
  #nulls: NullAnswers | undefined;
  #faults = 0;

  constructor(
    need: RoutedNeed,
    parts: Pick<FlightParts, "observer" | "primaries">,
    others: Others,
  ) {
    this.#need = need;
    this.#parts = parts;
    this.#others = others;
  }

  /** For the log. */
  note(upstream: string, text: string): void {
    this.#failures ??= new FailureLog();
    this.#failures.note(upstream, text);
  }

  /** An upstream that could not even be asked. */
  fault(upstream: string, text: string): void {
    this.#faults += 1;
    this.note(upstream, text);
  }

  get isNull(): boolean {
    return this.#nulls !== undefined;
  }

  /** An answer that stands where no other node knows more. */
  get atHand(): FetchOutcome | undefined {
    if (this.#nulls !== undefined && !this.#need.exists) return this.#nulls.outcome;
    const best = this.#failures?.best;
    if (best === undefined || best.failure.answer !== undefined) return undefined;
    const isGiven = best.failure.class === "unknown" || best.failure.class === "block_unknown";
    return isGiven ? { kind: "failure", ...best } : undefined;
  }

  /**
   * The answer of a node that lacks one of the newest blocks, although it was known to have it; undefined
   * where none did. Older blocks do not come back.
   */
  get lostBlock(): FetchOutcome | undefined {
    const { block, head, slack, exists } = this.#need;
    if (block < 0 || block + slack < head) return undefined;
    if (this.#nulls !== undefined) return exists ? this.#nulls.outcome : undefined;
    const best = this.#failures?.best;
    return best?.failure.class === "block_unknown" ? { kind: "failure", ...best } : undefined;
  }

  /** A result contradicts those who had said null. */
  contradict(result: readonly Piece[]): void {
    this.#nulls?.contradict(result, this.#need, this.#parts.observer);
  }

  /** The call's outcome where this answer decides it. */
  take(source: Source, verdict: NoResult): FetchOutcome | undefined {
    const { upstream } = source;
    if (isFault(verdict)) this.#faults += 1;
    switch (verdict.kind) {
      case "null":
        return this.#ofNull(source, verdict.result);
      case "too_large":
        return { kind: "too_large", upstream: upstream.name };
      case "no_room":
        return verdict;
      case "failure":
        return this.#ofFailure(source, verdict.failure, verdict.askAnother);
      case "stale":
      case "no_place":
      case "broken":
        this.note(upstream.name, verdict.told);
        return undefined;
    }
  }

  /** After the last attempt: what says most, or that nobody answered. */
  conclude(): FetchOutcome {
    const { exists, block } = this.#need;
    const nothing = this.#nulls?.outcome;
    if (nothing !== undefined && !(exists && this.#faults > 0)) return nothing;
    const best = this.#failures?.best;
    if (best !== undefined) return { kind: "failure", ...best };
    const nobody = this.#parts.primaries.every(({ head }) => head < block);
    if (this.#need.strict && nobody && this.#faults === 0) return { kind: "behind" };
    return { kind: "exhausted", internal: this.#failures?.text ?? "" };
  }

  #ofFailure(source: Source, failure: Failure, askAnother: boolean): FetchOutcome | undefined {
    const { name } = source.upstream;
    const isLack = failure.class === "block_unknown" || failure.class === "not_found";
    if (isLack && source.behind) {
      this.note(name, "does not have the block yet");
      return undefined;
    }
    if (isLack && this.#need.lookup && failure.answer === undefined) {
      return this.#ofNull(source, NULL);
    }
    this.#failures ??= new FailureLog();
    // What is asked in its place needs no other node.
    const isReplaced = failure.class === "method_unknown" && this.#need.hasInstead === true;
    const decided = this.#failures.add(name, failure) || !askAnother || isReplaced;
    return decided ? { kind: "failure", failure, upstream: name } : undefined;
  }

  /** Null decides where it can be trusted; else another node is asked, and null kept for the end. */
  #ofNull(source: Source, result: readonly Piece[]): FetchOutcome | undefined {
    const { upstream, behind, beganMs: askedMs } = source;
    this.note(upstream.name, behind ? "null, but it is behind" : "null");
    const { lookup, exists, future } = this.#need;
    if (!lookup) return { kind: "result", result, upstream, askedMs };
    if (behind) return undefined;
    this.#nulls ??= new NullAnswers();
    this.#nulls.add(source, result);
    if (exists) return undefined;
    return this.#nulls.suffices(this.#others.another(), future ? 1 : 2)
      ? this.#nulls.outcome
      : undefined;
  }
}

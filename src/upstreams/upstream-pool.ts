import type { Clock } from "../lib/clock.ts";
import { classify, FAILURE_CLASSES, type Failure } from "./failures.ts";
import type { HttpUpstream } from "./http-upstream.ts";
import { isRevertPayloadAsResult } from "./revert-reason.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

export type FetchRequest = {
  readonly method: string;
  /** JSON text of the positional params. */
  readonly params: string;
  /** For the whole call, retries and all. */
  readonly timeoutMs: number;
};

export type FetchOutcome =
  | { readonly kind: "result"; readonly result: Buffer; readonly upstream: string }
  | { readonly kind: "failure"; readonly failure: Failure; readonly upstream: string }
  | { readonly kind: "too_large"; readonly upstream: string }
  /** Nobody answered. `internal` tells of each attempt, for the log. */
  | { readonly kind: "exhausted"; readonly internal: string };

/** Told of every attempt: `outcome` is `ok`, a failure class, or what broke the connection. */
export type AttemptObserver = (attempt: {
  readonly upstream: string;
  readonly outcome: string;
  readonly seconds: number;
}) => void;

type Parts = { readonly clock: Clock; readonly observe: AttemptObserver };

/** Time in which an attempt cannot succeed any more: it is not begun. */
const LEAST_ATTEMPT_MS = 20;

/** What is told to the client when some nodes failed in several ways: the first that came, by rank. */
const RANK: Partial<Record<Failure["class"], number>> = {
  missing_state: 3,
  indexing: 3,
  block_unknown: 2,
  unknown: 2,
};

/** The upstreams of one network, asked in their order until one gives an answer. */
export class UpstreamPool {
  readonly #upstreams: readonly HttpUpstream[];
  readonly #parts: Parts;

  constructor(upstreams: readonly HttpUpstream[], parts: Parts) {
    this.#upstreams = upstreams;
    this.#parts = parts;
  }

  /** Never rejects; answers within the request's `timeoutMs`. */
  async fetch(request: FetchRequest): Promise<FetchOutcome> {
    const attempts = new Attempts(request, this.#parts);
    const [only] = this.#upstreams;
    for (const [index, upstream] of this.#upstreams.entries()) {
      const outcome = await attempts.ask(upstream, index === this.#upstreams.length - 1);
      if (outcome !== undefined) return outcome;
    }
    // A node may close an idle connection in the moment in which it is used again: reads may be
    // sent twice, and nobody else can be asked.
    if (this.#upstreams.length === 1 && only !== undefined && attempts.connectionBroke) {
      const outcome = await attempts.ask(only, true);
      if (outcome !== undefined) return outcome;
    }
    return attempts.conclude();
  }

  async close(): Promise<void> {
    await Promise.all(this.#upstreams.map((upstream) => upstream.close()));
  }
}

/** The attempts of one call. */
class Attempts {
  connectionBroke = false;
  readonly #request: FetchRequest;
  readonly #parts: Parts;
  readonly #deadline: number;
  readonly #told: string[] = [];
  #best: { failure: Failure; upstream: string } | undefined;
  #unknownOnes = 0;
  #methodUnknownOnes = 0;

  constructor(request: FetchRequest, parts: Parts) {
    this.#request = request;
    this.#parts = parts;
    this.#deadline = parts.clock.monotonic() + request.timeoutMs;
  }

  /** One attempt; undefined where another upstream should be asked. */
  async ask(upstream: HttpUpstream, last: boolean): Promise<FetchOutcome | undefined> {
    const begun = this.#parts.clock.monotonic();
    const left = this.#deadline - begun;
    if (left < LEAST_ATTEMPT_MS) return undefined;
    const { method, params } = this.#request;
    const answer = await upstream.call(method, params, last ? left : left / 2);
    const outcome = this.#judge(upstream.name, answer);
    this.#parts.observe({
      upstream: upstream.name,
      outcome: outcome.label,
      seconds: (this.#parts.clock.monotonic() - begun) / 1000,
    });
    return outcome.final;
  }

  #judge(upstream: string, answer: UpstreamAnswer): { label: string; final?: FetchOutcome } {
    switch (answer.kind) {
      case "result":
        return this.#judgeResult(upstream, answer.result);
      case "too_large":
        return { label: answer.kind, final: { kind: "too_large", upstream } };
      case "timeout":
        this.#told.push(`${upstream}: no answer in time`);
        return { label: answer.kind };
      case "unreachable":
        this.connectionBroke = true;
        this.#told.push(`${upstream}: ${answer.code}`);
        return { label: answer.kind };
      case "garbage":
        return this.#judgeFailure(upstream, classify(answer));
      case "error":
        return this.#judgeFailure(upstream, classify(answer));
    }
  }

  #judgeResult(upstream: string, result: Buffer): { label: string; final?: FetchOutcome } {
    const payload = this.#request.method === "eth_call" ? isRevertPayloadAsResult(result) : null;
    if (payload === null) {
      return { label: "ok", final: { kind: "result", result, upstream } };
    }
    return this.#judgeFailure(upstream, classify({ status: 200, result: payload }));
  }

  #judgeFailure(upstream: string, failure: Failure): { label: string; final?: FetchOutcome } {
    const label = failure.class;
    const final: FetchOutcome = { kind: "failure", failure, upstream };
    this.#told.push(`${upstream}: ${failure.class}: ${failure.message}`);
    if (!FAILURE_CLASSES[failure.class].askAnother) return { label, final };
    if (failure.class === "unknown") this.#unknownOnes += 1;
    if (this.#unknownOnes > 1) return { label, final };
    if (failure.class === "method_unknown") this.#methodUnknownOnes += 1;
    const rank = RANK[failure.class] ?? 0;
    if (rank > (RANK[this.#best?.failure.class ?? "internal"] ?? 0)) {
      this.#best = { failure, upstream };
    } else if (failure.class === "method_unknown") {
      this.#best ??= { failure, upstream };
    }
    return { label };
  }

  /** After the last attempt: the failure that says most, or that nobody answered. */
  conclude(): FetchOutcome {
    const best = this.#best;
    const everywhere = this.#methodUnknownOnes === this.#told.length;
    if (best !== undefined && (best.failure.class !== "method_unknown" || everywhere)) {
      return { kind: "failure", ...best };
    }
    return { kind: "exhausted", internal: this.#told.join("; ") };
  }
}

import type { Clock } from "../lib/clock.ts";
import { classify, FAILURE_CLASSES, type Failure } from "./failures.ts";
import type { HttpUpstream, UpstreamRequest } from "./http-upstream.ts";
import { isRevertPayloadAsResult } from "./revert-reason.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

export type FetchOutcome =
  | { readonly kind: "result"; readonly result: readonly Buffer[]; readonly upstream: string }
  | { readonly kind: "failure"; readonly failure: Failure; readonly upstream: string }
  | { readonly kind: "too_large"; readonly upstream: string }
  /** Nobody answered. `internal` tells of each attempt, for the log. */
  | { readonly kind: "exhausted"; readonly internal: string };

/** Told of every attempt: `outcome` is `ok`, a failure class, or what broke the connection. */
export type AttemptObserver = (upstream: string, outcome: string, seconds: number) => void;

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

  /** `done` is called once, within the request's `timeoutMs`, which is for all attempts together. */
  fetch(request: UpstreamRequest, done: (outcome: FetchOutcome) => void): void {
    new Attempts({ request, upstreams: this.#upstreams }, this.#parts, done).next();
  }

  async close(): Promise<void> {
    await Promise.all(this.#upstreams.map((upstream) => upstream.close()));
  }
}

type Task = {
  readonly request: UpstreamRequest;
  readonly upstreams: readonly HttpUpstream[];
};

/** The attempts of one call. */
class Attempts {
  readonly #task: Task;
  readonly #parts: Parts;
  readonly #done: (outcome: FetchOutcome) => void;
  readonly #deadline: number;
  readonly #told: string[] = [];
  #asked = 0;
  #connectionBroke = false;
  #best: { failure: Failure; upstream: string } | undefined;
  #unknownOnes = 0;
  #methodUnknownOnes = 0;

  constructor(task: Task, parts: Parts, done: (outcome: FetchOutcome) => void) {
    this.#task = task;
    this.#parts = parts;
    this.#done = done;
    this.#deadline = parts.clock.monotonic() + task.request.timeoutMs;
  }

  /** Asks the next upstream; with none or no time left, concludes. */
  next(): void {
    const { request, upstreams } = this.#task;
    const upstream = this.#nextUpstream();
    const begun = this.#parts.clock.monotonic();
    const left = this.#deadline - begun;
    if (upstream === undefined || left < LEAST_ATTEMPT_MS) {
      this.#done(this.#conclude());
      return;
    }
    this.#asked += 1;
    const timeoutMs = this.#asked >= upstreams.length ? left : left / 2;
    const { method, params } = request;
    upstream.call({ method, params, timeoutMs }, (answer) => {
      const { label, final } = this.#judge(upstream.name, answer);
      const seconds = (this.#parts.clock.monotonic() - begun) / 1000;
      this.#parts.observe(upstream.name, label, seconds);
      if (final === undefined) this.next();
      else this.#done(final);
    });
  }

  /**
   * In their order. A node may close an idle connection in the moment in which it is used again:
   * reads may be sent twice, so where nobody else can be asked, the only one is asked once more.
   */
  #nextUpstream(): HttpUpstream | undefined {
    const { upstreams } = this.#task;
    const again = upstreams.length === 1 && this.#asked === 1 && this.#connectionBroke;
    return upstreams[again ? 0 : this.#asked];
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
        this.#connectionBroke = true;
        this.#told.push(`${upstream}: ${answer.code}`);
        return { label: answer.kind };
      case "garbage":
        return this.#judgeFailure(upstream, classify(answer));
      case "error":
        return this.#judgeFailure(upstream, classify(answer));
    }
  }

  #judgeResult(
    upstream: string,
    result: readonly Buffer[],
  ): { label: string; final?: FetchOutcome } {
    const [only] = result;
    const call = this.#task.request.method === "eth_call" && result.length === 1;
    const payload = call && only !== undefined ? isRevertPayloadAsResult(only) : null;
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
  #conclude(): FetchOutcome {
    const best = this.#best;
    const everywhere = this.#methodUnknownOnes === this.#told.length;
    if (best !== undefined && (best.failure.class !== "method_unknown" || everywhere)) {
      return { kind: "failure", ...best };
    }
    return { kind: "exhausted", internal: this.#told.join("; ") };
  }
}

import type { Source } from "./findings.ts";
import type { Asker, InAir, UpstreamRequest } from "./transport.ts";
import { Attempt, type Upstream } from "./upstream.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

/** Whose attempt it is. */
export type AttemptOwner = { answered(sent: FlightAttempt, answer: UpstreamAnswer): void };

export type AttemptOptions = UpstreamRequest &
  Source & {
    readonly beganMs: number;
    /** The one that it is sent beside, because that is slow. */
    readonly beside: Upstream | undefined;
  };

/**
 * An attempt for a client's call. It is the request, too, and who is told the answer: a call in the
 * air costs by what there is of it (docs/performance.md).
 */
export class FlightAttempt extends Attempt implements UpstreamRequest, Asker, Source {
  readonly method: string;
  readonly params: string;
  readonly timeoutMs: number;
  readonly behind: boolean;
  readonly beside: Upstream | undefined;
  inAir: InAir | undefined;
  readonly #owner: AttemptOwner;

  constructor(options: AttemptOptions, owner: AttemptOwner) {
    super(options.upstream, options.beganMs);
    this.method = options.method;
    this.params = options.params;
    this.timeoutMs = options.timeoutMs;
    this.behind = options.behind;
    this.beside = options.beside;
    this.#owner = owner;
  }

  answered(answer: UpstreamAnswer): void {
    this.#owner.answered(this, answer);
  }
}

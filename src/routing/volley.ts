import type { MonotonicMs } from "../lib/clock.ts";
import type { Timer } from "../lib/timer-wheel.ts";
import type { UpstreamAnswer } from "../transports/upstream-answer.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import { judge, labelOf } from "../upstreams/verdict.ts";
import { attemptMs, hedgeMs, LEAST_ATTEMPT_MS } from "./attempt-times.ts";
import { conclude, resultOf } from "./conclude.ts";
import { Flight } from "./flight.ts";
import { type AttemptOwner, FlightAttempt } from "./flight-attempt.ts";
import type { FlightParts, RoutedRequest } from "./routing.ts";
import { choose, TIER } from "./selection.ts";

/** One look at the upstreams is for so many calls: each makes the next one cost more there. */
export const MOST_OF_VOLLEY = 16;

/** The owner of an attempt that has its answer. */
const NOBODY: AttemptOwner = Object.freeze({ answered: () => undefined });

/**
 * Calls of one message that need the same of a node, each sent to it by an attempt of its own. What
 * they have in common is looked up and kept once: a flight for each costs more than sending it. A
 * call that gets no result at once, or is slow, goes on as a flight that has made that attempt.
 */
export class Volley implements AttemptOwner {
  readonly #parts: FlightParts;
  readonly #sent: FlightAttempt[] = [];
  #unanswered = 0;
  #hedge: Timer | undefined;

  private constructor(parts: FlightParts) {
    this.#parts = parts;
  }

  /**
   * Sends the first of these, which all have the same need and deadline, to a node that is well.
   * Returns how many; with none there is no such node, or no time.
   */
  static send(requests: readonly RoutedRequest[], parts: FlightParts): number {
    const [first] = requests;
    if (first === undefined) return 0;
    const { need, deadlineMs } = first;
    const now = parts.clock.monotonic();
    const leftMs = deadlineMs - now;
    if (leftMs < LEAST_ATTEMPT_MS) return 0;
    const { primaries, random } = parts;
    const choice = choose(primaries, { need, worst: TIER.best, without: [], random, now });
    if (choice === undefined) return 0;
    const { upstream } = choice;
    if (upstream.state !== "ready" || upstream.isUnchecked) return 0;
    const mayAskOthers = need.partner && parts.partners.length > 0;
    const order = { upstream, need, asked: [upstream], mayAskOthers, leftMs };
    const timeoutMs = attemptMs(order, parts);
    return new Volley(parts).#send(requests, { upstream, timeoutMs, leftMs, now });
  }

  #send(
    requests: readonly RoutedRequest[],
    at: { readonly upstream: Upstream; timeoutMs: number; leftMs: number; now: MonotonicMs },
  ): number {
    const { upstream, timeoutMs, leftMs, now } = at;
    const { latency, timers } = this.#parts;
    for (const request of requests) {
      if (upstream.allowance.isLimited()) break;
      const sent = new FlightAttempt(
        { upstream, request, beganMs: now, timeoutMs, behind: false, beside: undefined },
        this,
      );
      upstream.begin(sent);
      this.#sent.push(sent);
    }
    const count = this.#sent.length;
    this.#unanswered = count;
    const delayMs = hedgeMs(latency.value(), leftMs);
    if (delayMs !== undefined && count > 0) this.#hedge = timers.set(delayMs, this);
    for (const sent of this.#sent) sent.inAir = upstream.send(sent, sent);
    return count;
  }

  answered(sent: FlightAttempt, answer: UpstreamAnswer): void {
    const verdict = judge(sent.method, answer);
    if (verdict.kind !== "result") {
      this.#goOn(sent).answered(sent, answer);
      return;
    }
    sent.owner = NOBODY;
    const now = this.#parts.clock.monotonic();
    sent.ended(now, labelOf(verdict));
    sent.request.done(resultOf(sent, verdict.result, this.#parts));
    this.#leave();
    conclude(sent, { answer, verdict, now }, this.#parts);
  }

  /** They take long: each goes on by itself. */
  due(): void {
    this.#hedge = undefined;
    for (const sent of this.#sent) if (sent.owner === this) this.#goOn(sent).due();
  }

  #goOn(sent: FlightAttempt): Flight {
    this.#leave();
    const flight = new Flight(sent.request, this.#parts);
    flight.adopt(sent);
    return flight;
  }

  #leave(): void {
    this.#unanswered -= 1;
    if (this.#unanswered > 0 || this.#hedge === undefined) return;
    this.#parts.timers.clear(this.#hedge);
    this.#hedge = undefined;
  }
}

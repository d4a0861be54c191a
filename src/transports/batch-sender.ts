import type { Clock } from "../lib/clock.ts";
import type { Timers } from "../lib/timer-wheel.ts";
import type { LargeBuffers } from "../wire/bytes/large-buffers.ts";
import type { Outcome } from "../wire/client/exchange.ts";
import { readBatch } from "./batch-answers.ts";
import { BatchedCall, type Carrier } from "./batch-call.ts";
import { BatchLimit } from "./batch-limit.ts";
import { isCrowdedOut, refusalIn } from "./batch-refusal.ts";
import { answerOf, batchText, callText, withRetryAfter } from "./http-json-rpc.ts";
import type { OwnSecrets } from "./own-secrets.ts";
import type { Asker, InAir, UpstreamRequest } from "./transport.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

/** The limit for all params together. Proxies in front of nodes take requests of 1 MB (nginx) or more. */
const MOST_CHARS = 512 * 1024;

/** How long a request may take, and on whose behalf memory is held for its answer. */
export type Charge = Pick<UpstreamRequest, "timeoutMs" | "account" | "keyId">;

/** The way to the node, one exchange at a time. */
export type Wire = {
  /** Reserves `count` ids in a row, and returns the first. */
  readonly takeIds: (count: number) => number;
  /** `text`: a body, JSON text in ASCII. `done` is called once, unless it is cancelled. */
  readonly exchange: (
    text: string,
    charge: Charge,
    done: (outcome: Outcome) => void,
  ) => { readonly cancel: () => void };
};

export type BatchParts = {
  readonly buffers: LargeBuffers;
  readonly wire: Wire;
  readonly timers: Timers;
  readonly clock: Pick<Clock, "now">;
  readonly secrets: OwnSecrets;
};

/**
 * Sends calls that come within one turn of the event loop to the node in one batch, and gives each
 * its own answer. What a node did not take because it came in a batch is sent again, each call alone,
 * once: all of them only read. A call that is alone in its turn is sent as if there were no batches.
 */
export class BatchSender {
  readonly #parts: BatchParts;
  readonly #limit: BatchLimit;
  #waiting: BatchedCall[] = [];
  #chars = 0;
  #isScheduled = false;

  constructor(most: number, parts: BatchParts) {
    this.#parts = parts;
    this.#limit = new BatchLimit(most, parts.timers);
  }

  /** The asker is told within the request's time, unless the call is cancelled. */
  call(request: UpstreamRequest, asker: Asker): InAir {
    const call = new BatchedCall(request, this.#parts.timers, asker);
    if (this.#limit.most < 2) {
      this.#sendAlone(call);
      return call;
    }
    this.#waiting.push(call);
    this.#chars += request.params.length;
    if (this.#waiting.length >= this.#limit.most || this.#chars >= MOST_CHARS) this.flush();
    else if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(this.#turnEnds);
    }
    return call;
  }

  /** Sends what waits. */
  flush(): void {
    const calls = this.#waiting.filter(({ isOpen }) => isOpen);
    this.#waiting = [];
    this.#chars = 0;
    const [first, second] = calls;
    if (second !== undefined) this.#sendTogether(calls);
    else if (first !== undefined) this.#sendAlone(first);
  }

  close(): void {
    this.flush();
    this.#limit.reset();
  }

  readonly #turnEnds = (): void => {
    this.#isScheduled = false;
    this.flush();
  };

  #sendTogether(calls: readonly BatchedCall[]): void {
    const firstId = this.#parts.wire.takeIds(calls.length);
    const text = batchText(firstId, calls);
    this.#carry(calls, text, (outcome) => this.#answered(calls, firstId, outcome));
  }

  /** `works`: told where it is taken alone. */
  #sendAlone(call: BatchedCall, works?: () => void): void {
    const id = this.#parts.wire.takeIds(1);
    this.#carry([call], callText(id, call.request), (outcome) => {
      const answer = answerOf(outcome, { id, clock: this.#parts.clock });
      if (answer.kind === "result" || (answer.kind === "error" && answer.status < 400)) works?.();
      this.#answer(call, answer);
    });
  }

  #carry(calls: readonly BatchedCall[], text: string, done: (outcome: Outcome) => void): void {
    let timeoutMs = 0;
    for (const { request } of calls) timeoutMs = Math.max(timeoutMs, request.timeoutMs);
    const shared = new SharedExchange(calls);
    // It holds memory for all of them: that it is counted for somebody is what keeps it bounded.
    const { account, keyId } = calls[0]?.request ?? {};
    shared.exchange = this.#parts.wire.exchange(text, { timeoutMs, account, keyId }, (outcome) => {
      shared.end();
      done(outcome);
    });
  }

  #answered(calls: readonly BatchedCall[], firstId: number, outcome: Outcome): void {
    if (outcome.kind === "unreachable" || outcome.kind === "no_place") {
      for (const call of calls) this.#answer(call, outcome);
      return;
    }
    if (outcome.kind === "too_large" || outcome.kind === "no_room") {
      this.#sendApart(calls);
      return;
    }
    const { head, body } = outcome;
    const batch = { status: head.status, body, firstId, count: calls.length };
    const { buffers } = this.#parts;
    const { answers, sole } = readBatch(batch, buffers);
    buffers.giveBack(body);
    const refusal = sole && refusalIn(sole);
    if (refusal !== undefined) {
      const most = refusal === "none" ? 1 : calls.length >> 1;
      this.#sendApart(calls, () => this.#limit.lower(most));
      return;
    }
    for (const [index, call] of calls.entries()) {
      const answer = answers[index];
      if (answer === undefined) continue;
      if (isCrowdedOut(answer)) this.#sendApart([call]);
      else this.#answer(call, withRetryAfter(answer, head, this.#parts.clock));
    }
  }

  #sendApart(calls: readonly BatchedCall[], works?: () => void): void {
    for (const call of calls) if (call.isOpen) this.#sendAlone(call, works);
  }

  #answer(call: BatchedCall, answer: UpstreamAnswer): void {
    call.answer(this.#parts.secrets.hideIn(answer));
  }
}

/** Ends when nobody waits for any of its calls any more. */
class SharedExchange implements Carrier {
  exchange: { readonly cancel: () => void } | undefined;
  readonly #calls: readonly BatchedCall[];
  #waiting: number;

  constructor(calls: readonly BatchedCall[]) {
    this.#calls = calls;
    this.#waiting = calls.length;
    for (const call of calls) call.carrier = this;
  }

  left(): void {
    this.#waiting -= 1;
    if (this.#waiting === 0) this.exchange?.cancel();
  }

  /** It came to its end: the calls travel in it no more. */
  end(): void {
    for (const call of this.#calls) call.carrier = undefined;
  }
}

import type { Timer, Timers } from "../lib/timer-wheel.ts";
import type { OwnSecrets } from "./own-secrets.ts";
import { readAnswer } from "./read-answer.ts";
import type { Asker, InAir } from "./transport.ts";
import type { UpstreamAnswer } from "./upstream-answer.ts";

/** The calls in the air of one socket, by ids of the gateway's own. */
export class WsCalls {
  readonly #timers: Timers;
  readonly #secrets: OwnSecrets;
  readonly #inAir = new Map<number, WsCall>();
  /** Counts over all connections: a late answer from before a break has a lower id. */
  #lastId = 0;
  #firstId = 1;

  constructor(parts: { readonly timers: Timers; readonly secrets: OwnSecrets }) {
    this.#timers = parts.timers;
    this.#secrets = parts.secrets;
  }

  /** Takes a call in that is sent now; after `timeoutMs` its answer is `timeout`. */
  begin(timeoutMs: number, asker: Asker): WsCall {
    this.#lastId += 1;
    const call = new WsCall(this.#lastId, this, asker);
    this.#inAir.set(call.id, call);
    call.timer = this.#timers.set(timeoutMs, () => this.#end(call, { kind: "timeout" }));
    return call;
  }

  /** Takes a call out; its asker is told nothing any more. */
  forget(call: WsCall): void {
    if (call.timer !== undefined) this.#timers.clear(call.timer);
    this.#inAir.delete(call.id);
  }

  /**
   * A message that says it answers this id. False where no such id was sent on this connection;
   * an answer that comes too late, or a second one, is passed over.
   */
  answer(id: number, message: Buffer): boolean {
    const call = this.#inAir.get(id);
    if (call === undefined) return id >= this.#firstId && id <= this.#lastId;
    this.#end(call, readAnswer(200, message, { id, framed: true }));
    return true;
  }

  /** An error without an id is the only call's; false where there are several, or none. */
  answerOnly(message: Buffer): boolean {
    const [only, ...others] = this.#inAir.keys();
    return only !== undefined && others.length === 0 && this.answer(only, message);
  }

  /** The message that broke the connection was too large: the answer of the only call, if it is. */
  tooLarge(): void {
    const [only, ...others] = this.#inAir.values();
    if (only !== undefined && others.length === 0) this.#end(only, { kind: "too_large" });
  }

  /** The connection is gone: ends all calls; ids that were sent are unknown from now on. */
  fail(code: string): void {
    const calls = [...this.#inAir.values()];
    this.#firstId = this.#lastId + 1;
    for (const call of calls) {
      // One that another's end has cancelled is not told.
      if (this.#inAir.has(call.id)) this.#end(call, { kind: "unreachable", code });
    }
  }

  #end(call: WsCall, answer: UpstreamAnswer): void {
    this.forget(call);
    call.asker.answered(this.#secrets.hideIn(answer));
  }
}

/** One call in the air. */
export class WsCall implements InAir {
  readonly id: number;
  readonly asker: Asker;
  readonly #calls: WsCalls;
  timer: Timer | undefined;

  constructor(id: number, calls: WsCalls, asker: Asker) {
    this.id = id;
    this.#calls = calls;
    this.asker = asker;
  }

  cancel(): void {
    this.#calls.forget(this);
  }
}

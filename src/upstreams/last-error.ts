import type { Clock, UnixMs } from "../lib/clock.ts";
import { cutText } from "../lib/cut-text.ts";
import { redact } from "../telemetry/redact.ts";
import type { UpstreamAnswer } from "../transports/upstream-answer.ts";
import { isFault, type Verdict } from "./verdict.ts";

/** A node's own words are cut here; of more than so many before that none is looked at. */
const MESSAGE_CHARS = 200;
const READ_CHARS = 1000;

/** Why a node fails, in words that hold none of its secrets. */
export type UpstreamError = {
  /** As metrics name it: a class of failures, `unreachable`, `timeout`, or `wrong_chain`. */
  readonly class: string;
  readonly message: string;
  /** When it was seen last. */
  readonly atMs: UnixMs;
  /** How many of its class were seen since another one was. */
  readonly count: number;
};

export type ErrorReason = Pick<UpstreamError, "class" | "message">;

/** Why one node failed last, as far as its operator may have something to mend. */
export class LastError {
  readonly #clock: Pick<Clock, "now">;
  #value: UpstreamError | undefined;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Undefined: it has not failed. */
  get value(): UpstreamError | undefined {
    return this.#value;
  }

  /** Before its breaker is told, so that whoever tells of that can say why. */
  noteAnswer(verdict: Verdict, answer: UpstreamAnswer): void {
    const reason = reasonIn(verdict, answer);
    if (reason !== undefined) this.note(reason);
  }

  note({ class: name, message }: ErrorReason): void {
    const last = this.#value;
    const count = last?.class === name ? last.count + 1 : 1;
    const atMs = this.#clock.now();
    this.#value = { class: name, message: shownMessage(message), atMs, count };
  }
}

/** Undefined for an answer that an operator has nothing to mend about. */
function reasonIn(verdict: Verdict, answer: UpstreamAnswer): ErrorReason | undefined {
  if (verdict.kind === "broken") return { class: verdict.label, message: verdict.told };
  if (verdict.kind !== "failure") return undefined;
  const { class: name, code, message } = verdict.failure;
  if (name !== "rate_limited" && !isFault(verdict)) return undefined;
  const status = "status" in answer && answer.status !== 200 ? `HTTP ${answer.status}` : "";
  const number = code === undefined ? "" : `error ${code}`;
  const head = [status, number].filter(Boolean).join(", ");
  return { class: name, message: [head, message].filter(Boolean).join(": ") };
}

/** On one line, as a log and a terminal may show it. */
function shownMessage(text: string): string {
  const begin = text.slice(0, READ_CHARS);
  return cutText(redact(begin.replace(/[^\x21-\x7e]+/g, " ").trim()), MESSAGE_CHARS);
}

import { classify } from "../../failures/failures.ts";
import { wholeBytes } from "../../lib/bytes.ts";
import type { Clock, MonotonicMs } from "../../lib/clock.ts";
import { cutText } from "../../lib/cut-text.ts";
import { redact } from "../../telemetry/redact.ts";
import type { Transport } from "../../transports/transport.ts";
import type { UpstreamAnswer } from "../../transports/upstream-answer.ts";

/** For all questions to one upstream together. */
export const CHECK_MS = 5000;

/** A node's own version text is cut here. */
const TEXT_CHARS = 60;

/** Questions to one upstream over one of its transports, all within one time. */
export class Inquiry {
  readonly #transport: Pick<Transport, "call">;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #endMs: MonotonicMs;

  constructor(transport: Pick<Transport, "call">, clock: Pick<Clock, "monotonic">) {
    this.#transport = transport;
    this.#clock = clock;
    this.#endMs = clock.monotonic() + CHECK_MS;
  }

  /** Not sent at all once the time is over. */
  ask(method: string, params: readonly unknown[] = []): Promise<UpstreamAnswer> {
    const timeoutMs = this.#endMs - this.#clock.monotonic();
    if (timeoutMs <= 0) return Promise.resolve({ kind: "timeout" });
    const request = { method, params: JSON.stringify(params), timeoutMs };
    return new Promise((resolve) => {
      this.#transport.call(request, { answered: resolve });
    });
  }

  /** Milliseconds to an answer; undefined where there was none. */
  async time(method: string): Promise<number | undefined> {
    const begunMs = this.#clock.monotonic();
    const { kind } = await this.ask(method);
    return kind === "result" ? this.#clock.monotonic() - begunMs : undefined;
  }
}

export type Read<Value> =
  | { readonly value: Value; readonly fault?: never }
  | { readonly value?: never; readonly fault: string };

/** A number written as a quantity, else what is wrong, in words that hold no URL. */
export function readNumber(answer: UpstreamAnswer): Read<number> {
  const read = readText(answer);
  if (read.fault !== undefined) return read;
  if (/^0x[0-9a-f]{1,13}$/i.test(read.value)) return { value: Number(read.value) };
  return { fault: "answers with something else than a number" };
}

/** A text, without what a terminal would not show; else what is wrong, in words that hold no URL. */
export function readText(answer: UpstreamAnswer): Read<string> {
  const { value, fault } = readJson(answer);
  if (fault !== undefined) return { fault };
  if (typeof value !== "string") return { fault: "answers with something else than a text" };
  return { value: shownText(value) };
}

/** Any value; undefined for what is no JSON. */
export function readJson(answer: UpstreamAnswer): Read<unknown> {
  if (answer.kind !== "result") return { fault: faultOf(answer) };
  return { value: parsed(wholeBytes(answer.result).toString("utf8")) };
}

/** A node's text as a terminal may show it. */
export function shownText(text: string): string {
  return cutText(redact(text.replace(/[^\x20-\x7e]/g, "")), TEXT_CHARS);
}

/** Why there is no result. */
function faultOf(answer: Exclude<UpstreamAnswer, { kind: "result" }>): string {
  switch (answer.kind) {
    case "timeout":
      return `gave no answer within ${CHECK_MS / 1000} s`;
    case "unreachable":
      return `cannot be reached: ${answer.code}`;
    case "too_large":
    case "no_room":
    case "no_place":
      return "answers with more than maxResponseBytes";
    case "error":
    case "garbage": {
      const { class: kind, message } = classify(answer);
      const line = redact(message)
        .replace(/\s+/g, " ")
        .slice(0, 2 * TEXT_CHARS);
      return `${kind}: ${line} (HTTP status ${answer.status})`;
    }
  }
}

/** The bytes of a result were not parsed when they came. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

import { classify, type Failure } from "../../failures/failures.ts";
import { wholeBytes } from "../../lib/bytes.ts";
import { redact } from "../../telemetry/redact.ts";
import type { Transport } from "../../transports/transport.ts";
import type { UpstreamAnswer } from "../../transports/upstream-answer.ts";
import { CommandError } from "../output.ts";

/** A large block over a slow line. */
const TIMEOUT_MS = 60_000;
/** Between the attempts; a node that says when it may be asked again is believed up to the longest. */
const PAUSES_MS = [500, 1000, 2000, 4000, 8000, 16_000] as const;
const LONGEST_PAUSE_MS = 60_000;
/** A node that has not answered at all yet is asked again so often: its URL may be wrong. */
const FIRST_CONTACT_PAUSES = 2;
const TEXT_CHARS = 200;

/** Failures that pass by themselves. A block that getBlocks told of may come from another node behind the URL. */
const PASSING: readonly Failure["class"][] = [
  "rate_limited",
  "timeout",
  "overloaded",
  "syncing",
  "internal",
  "block_unknown",
  "not_found",
];

/** The node's own refusal, by its code. */
export class NodeFault extends CommandError {
  readonly code: number | undefined;

  constructor(message: string, code: number | undefined) {
    super(message);
    this.code = code;
  }
}

type Parts = { readonly pause: (ms: number) => Promise<unknown> };

/** Questions to a node, each asked again where it helps. */
export class ImportInquiry {
  readonly #node: Pick<Transport, "call">;
  readonly #pause: Parts["pause"];
  #hasAnswered = false;

  constructor(node: Pick<Transport, "call">, { pause }: Parts) {
    this.#node = node;
    this.#pause = pause;
  }

  /** The result, parsed. @throws NodeFault */
  async ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const text = await this.askText(method, params);
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new CommandError(`${method}: the node's result is no JSON`, { cause: error });
    }
  }

  /** The result's JSON text; never `null`. @throws NodeFault */
  async askText(method: string, params: readonly unknown[]): Promise<string> {
    const text = JSON.stringify(params);
    const pauses = this.#hasAnswered ? PAUSES_MS : PAUSES_MS.slice(0, FIRST_CONTACT_PAUSES);
    for (const pauseMs of [...pauses, undefined]) {
      const answer = await this.#call(method, text);
      const read = readAnswer(answer);
      if ("result" in read) {
        this.#hasAnswered = true;
        return read.result;
      }
      const isLast = pauseMs === undefined || !read.passes;
      if (isLast) throw new NodeFault(`${shown(method, params)}: ${read.fault}`, read.code);
      const asked = "retryAfterMs" in answer ? (answer.retryAfterMs ?? 0) : 0;
      await this.#pause(Math.min(Math.max(pauseMs, asked), LONGEST_PAUSE_MS));
    }
    throw new Error("the last attempt gives or throws");
  }

  #call(method: string, params: string): Promise<UpstreamAnswer> {
    return new Promise((resolve) => {
      this.#node.call({ method, params, timeoutMs: TIMEOUT_MS }, { answered: resolve });
    });
  }
}

type Read =
  | { readonly result: string }
  | { readonly fault: string; readonly passes: boolean; readonly code?: number | undefined };

function readAnswer(answer: UpstreamAnswer): Read {
  switch (answer.kind) {
    case "result": {
      const result = wholeBytes(answer.result).toString("utf8");
      if (result !== "null") return { result };
      return { fault: "the node gives null", passes: true };
    }
    case "timeout":
      return { fault: `no answer within ${TIMEOUT_MS / 1000} s`, passes: true };
    case "unreachable":
      return { fault: `the node cannot be reached: ${answer.code}`, passes: true };
    case "too_large":
    case "no_room":
    case "no_place":
      return { fault: "the answer is too large for a ledger", passes: false };
    case "error":
    case "garbage": {
      const { class: kind, message, code } = classify(answer);
      const line = redact(message).replace(/\s+/g, " ").slice(0, TEXT_CHARS);
      const passes = PASSING.includes(kind) || answer.status >= 500;
      return { fault: `${code ?? `HTTP status ${answer.status}`} ${line}`, passes, code };
    }
  }
}

/** `getBlock 432000`. */
const shown = (method: string, params: readonly unknown[]): string =>
  [method, ...params.filter((param) => typeof param === "number")].join(" ");

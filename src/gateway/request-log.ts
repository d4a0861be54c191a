import { mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { pino } from "pino";
import type { Config } from "../config/schema.ts";
import { encode, type JsonValue } from "../jsonrpc/value.ts";
import type { Clock } from "../lib/clock.ts";
import { cutText } from "../lib/cut-text.ts";
import type { Logger } from "../telemetry/log.ts";
import { redactKeys } from "../telemetry/redact.ts";
import { type Call, upstreamOf } from "./call.ts";

/** Lines are written together, so many bytes at once or every second. */
const WRITE_BYTES = 8192;
const WRITE_EVERY_MS = 1000;
/** Lines that wait for a disk that is slow or full; more are dropped. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
const MOST_PARAMS_CHARS = 4096;
const MOST_METHOD_CHARS = 100;
const COMPLAIN_EVERY_MS = 10_000;
const STANDARD_OUTPUT = "-";
const STANDARD_OUTPUT_FD = 1;

export type RequestLogParts = {
  readonly log: Logger;
  readonly clock: Clock;
  /** 0 to 1, evenly. */
  readonly random: () => number;
};

type Options = NonNullable<Config["requestLog"]>;

/**
 * A line of JSON for calls that had an account, or for a share of them, for whoever has to find out what one customer
 * did. It holds no key, no URL and no answer; params only where they were asked for. It never holds up a call: where
 * the disk is full, lines are dropped, and the log says how many.
 */
export class RequestLog {
  readonly #options: Options;
  readonly #parts: RequestLogParts;
  readonly #output: ReturnType<typeof pino.destination>;
  #dropped = 0;
  #complainedMs = Number.NEGATIVE_INFINITY;

  /** @throws the system's error where the file cannot be opened */
  constructor(options: Options, parts: RequestLogParts) {
    this.#options = options;
    this.#parts = parts;
    this.#output = pino.destination({
      fd: openedFile(options.path),
      sync: false,
      minLength: WRITE_BYTES,
      periodicFlush: WRITE_EVERY_MS,
      maxLength: MOST_WAITING_BYTES,
    });
    this.#output.on("error", (cause) => this.#complain(cause));
    this.#output.on("drop", () => {
      this.#dropped += 1;
      this.#complain();
    });
  }

  /** Writes the line of a call that has ended, or not: `ratio` of them are written. */
  note(call: Call, durationMs: number): void {
    if (this.#parts.random() >= this.#options.ratio) return;
    this.#output.write(`${redactKeys(this.#lineOf(call, durationMs))}\n`);
  }

  /** Writes what waits, as far as the disk takes it. */
  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#output.once("close", () => resolve());
      this.#output.once("error", () => resolve());
      this.#output.end();
    });
  }

  #lineOf({ session, method, params, error, charged, answer }: Call, durationMs: number): string {
    const { accountId, keyId } = session.identity;
    const line = JSON.stringify({
      time: new Date(this.#parts.clock.now()).toISOString(),
      requestId: session.requestId,
      account: accountId,
      keyId,
      network: session.network.name,
      method: cutText(method, MOST_METHOD_CHARS),
      outcome: error === undefined ? "ok" : error.name,
      credits: charged,
      upstream: upstreamOf(answer) ?? null,
      durationMs: Math.round(durationMs * 1000) / 1000,
    });
    if (!this.#options.params || params === undefined) return line;
    return `${line.slice(0, -1)},"params":${paramsText(params)}}`;
  }

  #complain(cause?: Error): void {
    const nowMs = this.#parts.clock.monotonic();
    if (nowMs - this.#complainedMs < COMPLAIN_EVERY_MS) return;
    this.#complainedMs = nowMs;
    const fields = { ...(cause && { cause: String(cause) }), dropped: this.#dropped };
    this.#parts.log.warn(fields, "the request log cannot be written");
  }
}

function openedFile(path: string): number {
  if (path === STANDARD_OUTPUT) return STANDARD_OUTPUT_FD;
  mkdirSync(dirname(path), { recursive: true });
  return openSync(path, "a", 0o600);
}

/** JSON text of the params: as they are, or the beginning of their text where they are long. */
function paramsText(params: JsonValue): string {
  const text = encode(params);
  return text.length > MOST_PARAMS_CHARS ? JSON.stringify(cutText(text, MOST_PARAMS_CHARS)) : text;
}

import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Time } from "../../lib/clock.ts";
import { ownVersion } from "../../lib/own-files.ts";
import type { Logger } from "../log.ts";
import { requestFrame } from "./otlp-json.ts";

const SERVICE = "tollgate";
const SEND_EVERY_MS = 1000;
/** Sent sooner than that where so many characters wait. */
const SEND_CHARS = 1024 * 1024;
/** Spans that wait for a collector that is slow or away; more are dropped. */
const MOST_WAITING_CHARS = 4 * 1024 * 1024;
const TIMEOUT_MS = 10_000;
/** At the end of the process. */
const LAST_TIMEOUT_MS = 2000;
const COMPLAIN_EVERY_MS = 60_000;
/** The collector asks to be sent the same once more (OTLP 1.5, "OTLP/HTTP Response"). */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export type SpanExporterOptions = {
  /** The base of the collector's address. */
  readonly url: string;
  /** May hold credentials: never shown. */
  readonly headers: Readonly<Record<string, string>>;
  /** Tells this process from all others. */
  readonly instance: string;
  /** Its machine's name. */
  readonly host: string;
};

/** The spans of one call, as the JSON texts joined by commas, and how many they are. */
export type CallSpans = { readonly text: string; readonly count: number };

export type SpanExporterParts = {
  readonly clock: Pick<Time, "monotonic" | "every">;
  readonly log: Pick<Logger, "warn">;
};

/**
 * Sends spans to a collector, by OTLP over HTTP in JSON: each second, or sooner where many wait. A collector that is
 * away is sent them later; what it cannot be sent in the meantime is dropped and counted.
 */
export class SpanExporter {
  /** Spans, since the start. */
  sent = 0;
  dropped = 0;
  readonly #target: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #frame: readonly [string, string];
  readonly #parts: SpanExporterParts;
  readonly #stopTicking: () => void;
  #waiting: CallSpans[] = [];
  #chars = 0;
  #sending: Promise<void> | undefined;
  #complainedMs = Number.NEGATIVE_INFINITY;

  constructor(options: SpanExporterOptions, parts: SpanExporterParts) {
    this.#target = `${options.url.replace(/\/+$/, "")}/v1/traces`;
    this.#headers = { ...options.headers, "content-type": "application/json" };
    const version = ownVersion();
    this.#frame = requestFrame(
      {
        "service.name": SERVICE,
        "service.version": version,
        "service.instance.id": options.instance,
        "host.name": options.host,
      },
      { name: SERVICE, version },
    );
    this.#parts = parts;
    this.#stopTicking = parts.clock.every(SEND_EVERY_MS, () => this.#send());
  }

  /** Whether another call's spans would be kept. */
  get hasRoom(): boolean {
    return this.#chars < MOST_WAITING_CHARS;
  }

  add(spans: CallSpans): void {
    this.#waiting.push(spans);
    this.#chars += spans.text.length;
    if (this.#chars >= SEND_CHARS) this.#send();
  }

  /** Sends what waits, within two seconds, and ends. */
  async stop(): Promise<void> {
    this.#stopTicking();
    await this.#sending;
    if (this.#waiting.length > 0) await this.#post(this.#take(), LAST_TIMEOUT_MS);
  }

  #send(): void {
    if (this.#sending !== undefined || this.#waiting.length === 0) return;
    this.#sending = this.#post(this.#take(), TIMEOUT_MS).finally(() => {
      this.#sending = undefined;
    });
  }

  #take(): CallSpans[] {
    const taken = this.#waiting;
    this.#waiting = [];
    this.#chars = 0;
    return taken;
  }

  /** Never rejects. */
  async #post(calls: CallSpans[], timeoutMs: number): Promise<void> {
    const [before, behind] = this.#frame;
    try {
      const status = await post(this.#target, {
        headers: this.#headers,
        body: `${before}${calls.map(({ text }) => text).join()}${behind}`,
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (status >= 200 && status < 300) {
        this.sent += countOf(calls);
        return;
      }
      this.#complain(`HTTP ${status}`);
      if (RETRYABLE.has(status)) this.#putBack(calls);
      else this.dropped += countOf(calls);
    } catch (error) {
      this.#complain(reasonOf(error));
      this.#putBack(calls);
    }
  }

  /** Before those that came meanwhile, as far as there is room. */
  #putBack(calls: CallSpans[]): void {
    const kept: CallSpans[] = [];
    for (const call of calls) {
      if (!this.hasRoom) break;
      kept.push(call);
      this.#chars += call.text.length;
    }
    this.dropped += countOf(calls.slice(kept.length));
    this.#waiting = [...kept, ...this.#waiting];
  }

  #complain(reason: string): void {
    const nowMs = this.#parts.clock.monotonic();
    if (nowMs - this.#complainedMs < COMPLAIN_EVERY_MS) return;
    this.#complainedMs = nowMs;
    this.#parts.log.warn({ reason, dropped: this.dropped }, "traces cannot be sent");
  }
}

function countOf(calls: readonly CallSpans[]): number {
  return calls.reduce((sum, { count }) => sum + count, 0);
}

type Message = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
};

/**
 * Resolves to the status, once the answer is read: the connection is used again. `fetch` takes three times as long, which
 * is a tenth of a microsecond for each call where a hundredth is traced.
 */
function post(url: string, { headers, body, signal }: Message): Promise<number> {
  const open = url.startsWith("https:") ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = open(url, { method: "POST", headers, signal });
    request.on("error", reject);
    request.once("response", (response) => {
      response.on("error", reject);
      response.once("end", () => resolve(response.statusCode ?? 0));
      response.resume();
    });
    request.end(body);
  });
}

/** The system's name for it: an error's text may hold the URL. */
function reasonOf(error: unknown): string {
  const { name, code } = error as { readonly name?: string; readonly code?: string };
  return name === "AbortError" ? "no answer in time" : (code ?? name ?? "unknown");
}

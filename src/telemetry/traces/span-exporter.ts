import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Time } from "../../lib/clock.ts";
import { ownVersion } from "../../lib/own-files.ts";
import type { Logger } from "../log.ts";
import { encodeSpans, requestFrame, type Span } from "./otlp-json.ts";

const SERVICE = "tollgate";
const SEND_EVERY_MS = 1000;
/** Sent sooner than that where so much waits. */
const BATCH_BYTES = 1024 * 1024;
/** That wait for a collector that is slow or away; spans of more are dropped. */
const MOST_BATCHES = 4;
/**
 * Calls whose spans are written at once: what writes them is in the processor's caches from the second one on. Between
 * other work it takes three times as long.
 */
const TOGETHER = 32;
/** Of UTF-8, for a character of a string. */
const MOST_BYTES_PER_CHAR = 3;
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

export type SpanExporterParts = {
  readonly clock: Pick<Time, "monotonic" | "every">;
  readonly log: Pick<Logger, "warn">;
};

/** What is sent at once: the bytes of a whole request but its end. */
type Batch = { readonly bytes: Buffer; length: number; spans: number };

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
  readonly #before: string;
  readonly #behind: string;
  readonly #parts: SpanExporterParts;
  readonly #stopTicking: () => void;
  /** The spans of calls, that are not written yet. */
  #added: (readonly Span[])[] = [];
  /** The oldest first; the last is still added to, unless it is being sent. */
  readonly #batches: Batch[] = [];
  #sending: Promise<void> | undefined;
  /** Of a batch that was sent: memory that is new costs as much as to fill it. */
  #spare: Buffer | undefined;
  #complainedMs = Number.NEGATIVE_INFINITY;

  constructor(options: SpanExporterOptions, parts: SpanExporterParts) {
    this.#target = `${options.url.replace(/\/+$/, "")}/v1/traces`;
    this.#headers = { ...options.headers, "content-type": "application/json" };
    const version = ownVersion();
    [this.#before, this.#behind] = requestFrame(
      {
        "service.name": SERVICE,
        "service.version": version,
        "service.instance.id": options.instance,
        "host.name": options.host,
      },
      { name: SERVICE, version },
    );
    this.#parts = parts;
    this.#stopTicking = parts.clock.every(SEND_EVERY_MS, () => {
      this.#writeAdded();
      this.#send();
    });
  }

  /** Whether another call's spans would be kept. */
  get hasRoom(): boolean {
    return this.#batches.length < MOST_BATCHES || this.#roomOf(this.#batches.at(-1)) > 0;
  }

  /** The spans of one call. */
  add(spans: readonly Span[]): void {
    this.#added.push(spans);
    if (this.#added.length >= TOGETHER) this.#writeAdded();
  }

  /** Sends what waits, within two seconds, and ends. */
  async stop(): Promise<void> {
    this.#stopTicking();
    this.#writeAdded();
    await this.#sending;
    const signal = AbortSignal.timeout(LAST_TIMEOUT_MS);
    while (this.#batches.length > 0 && !signal.aborted) {
      if (!(await this.#post(signal))) return;
    }
  }

  #writeAdded(): void {
    const added = this.#added;
    this.#added = [];
    for (const spans of added) this.#write(encodeSpans(spans), spans.length);
  }

  #write(text: string, count: number): void {
    const batch = this.#batchFor(text.length * MOST_BYTES_PER_CHAR + 1);
    if (batch === undefined) {
      this.dropped += count;
      return;
    }
    if (batch.spans > 0) batch.length += batch.bytes.write(",", batch.length);
    batch.length += batch.bytes.write(text, batch.length);
    batch.spans += count;
  }

  #roomOf(batch: Batch | undefined): number {
    if (batch === undefined || this.#isInAir(batch)) return 0;
    return BATCH_BYTES - this.#behind.length - batch.length;
  }

  #isInAir(batch: Batch): boolean {
    return this.#sending !== undefined && batch === this.#batches[0];
  }

  /** One with so much room; undefined where there is none, or where no call has so many spans. */
  #batchFor(bytes: number): Batch | undefined {
    const last = this.#batches.at(-1);
    if (this.#roomOf(last) >= bytes) return last;
    this.#send();
    if (this.#batches.length >= MOST_BATCHES || bytes > BATCH_BYTES / 2) return undefined;
    const batch: Batch = {
      bytes: this.#spare ?? Buffer.allocUnsafe(BATCH_BYTES),
      length: 0,
      spans: 0,
    };
    this.#spare = undefined;
    batch.length = batch.bytes.write(this.#before);
    this.#batches.push(batch);
    return batch;
  }

  #send(): void {
    if (this.#sending !== undefined || this.#batches.length === 0) return;
    this.#sending = this.#post(AbortSignal.timeout(TIMEOUT_MS)).then((isDone) => {
      this.#sending = undefined;
      if (isDone && this.#batches.length > 1) this.#send();
    });
  }

  /** The oldest batch; false where it has to be sent again. Never rejects. */
  async #post(signal: AbortSignal): Promise<boolean> {
    const [batch] = this.#batches;
    if (batch === undefined) return true;
    const { bytes, length, spans } = batch;
    const end = length + bytes.write(this.#behind, length);
    try {
      const body = bytes.subarray(0, end);
      const status = await post(this.#target, { headers: this.#headers, body, signal });
      const isTaken = status >= 200 && status < 300;
      if (!isTaken) this.#complain(`HTTP ${status}`);
      if (RETRYABLE.has(status)) return false;
      if (isTaken) this.sent += spans;
      else this.dropped += spans;
    } catch (error) {
      this.#complain(reasonOf(error));
      return false;
    }
    this.#batches.shift();
    this.#spare = bytes;
    return true;
  }

  #complain(reason: string): void {
    const nowMs = this.#parts.clock.monotonic();
    if (nowMs - this.#complainedMs < COMPLAIN_EVERY_MS) return;
    this.#complainedMs = nowMs;
    this.#parts.log.warn({ reason, dropped: this.dropped }, "traces cannot be sent");
  }
}

type Message = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
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
      response.once("end", () => {
        // The bytes are written to again: nothing of them may still be on its way.
        if (!request.writableFinished) request.destroy();
        resolve(response.statusCode ?? 0);
      });
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

import { Worker } from "node:worker_threads";
import type { MonotonicMs, Time } from "../../lib/clock.ts";
import { entryFile } from "../../lib/own-files.ts";
import { RestartPause } from "../../lib/restart-pause.ts";
import type { Call, Reply } from "./calls.ts";
import type { DatabaseOptions } from "./database.ts";
import type { Answer, Request } from "./worker.ts";

/** Calls have to be served again within 2 s of the time at which a thread can start again. */
const LONGEST_PAUSE_MS = 500;
/** Some ten seconds of starts. */
const MOST_DEATHS = 20;

export type ThreadParts = {
  readonly time: Pick<Time, "monotonic" | "after">;
  readonly answered: (reply: Reply) => void;
  /** Told once, when the first thread takes calls. */
  readonly firstReady: () => void;
  /** `hadBegun`: it was ready before, so that calls which it had may have been carried out. */
  readonly died: (cause: unknown, hadBegun: boolean) => void;
};

/**
 * The thread that carries out calls. One that dies is replaced at once, and after a pause that grows
 * where it dies again and again: with what it died of (memory, file descriptors) or a call that ends it,
 * a start costs a tenth of a second of CPU.
 */
export class StorageThread {
  readonly #options: DatabaseOptions;
  readonly #parts: ThreadParts;
  readonly #pause = new RestartPause(LONGEST_PAUSE_MS);
  #worker: Worker | undefined;
  #stopRestart: () => void = () => undefined;
  #isFirst = true;
  /** Since the last answer. */
  #deaths = 0;
  #isClosing = false;
  #ended: Promise<void> = Promise.resolve();

  constructor(options: DatabaseOptions, parts: ThreadParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** Resolves when it takes calls, or has died instead. */
  async begin(): Promise<void> {
    let worker: Worker;
    try {
      const options = { workerData: this.#options, name: "tollgate-storage" };
      worker = new Worker(entryFile("storage/sqlite/worker"), options);
    } catch (error) {
      this.#died(error, undefined);
      return;
    }
    let readyAtMs: MonotonicMs | undefined;
    let cause: unknown;
    this.#worker = worker;
    worker.on("error", (error) => {
      cause = error;
    });
    // All that it had answered is read before this event.
    this.#ended = new Promise((ended) => {
      worker.once("exit", (code) => {
        this.#worker = undefined;
        this.#died(cause ?? new Error(`its thread ended with exit code ${code}`), readyAtMs);
        ended();
      });
    });
    const ready = new Promise<void>((begun) => {
      worker.on("message", (answer: Answer) => {
        if (answer !== "ready") return this.#answered(answer);
        readyAtMs = this.#parts.time.monotonic();
        if (this.#isFirst) this.#parts.firstReady();
        this.#isFirst = false;
        begun();
      });
    });
    await Promise.race([ready, this.#ended]);
  }

  /** False, and nothing sent, where there is no thread at the moment. */
  send(call: Call): boolean {
    if (this.#worker === undefined) return false;
    this.#post(this.#worker, call);
    return true;
  }

  /** No call comes any more. Resolves when the thread has carried out what it was sent. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#stopRestart();
    if (this.#worker !== undefined) this.#post(this.#worker, "close");
    await this.#ended;
  }

  /** It was begun again and again, and never answered. It still is. */
  get isGone(): boolean {
    return this.#deaths >= MOST_DEATHS;
  }

  #answered(reply: Reply): void {
    this.#deaths = 0;
    this.#parts.answered(reply);
  }

  #died(cause: unknown, readyAtMs: MonotonicMs | undefined): void {
    this.#parts.died(cause, readyAtMs !== undefined);
    if (this.#isClosing) return;
    this.#deaths += 1;
    const servedMs = readyAtMs === undefined ? 0 : this.#parts.time.monotonic() - readyAtMs;
    const pauseMs = this.#pause.after(servedMs);
    this.#stopRestart = this.#parts.time.after(pauseMs, () => void this.begin());
  }

  #post(worker: Worker, request: Request): void {
    worker.postMessage(request);
  }
}

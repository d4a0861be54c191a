import { Worker } from "node:worker_threads";
import { entryFile } from "../lib/own-files.ts";
import type { Timer, TimerWheel } from "../lib/timer-wheel.ts";
import type { Asker, InAir, Transport, UpstreamRequest } from "../transports/transport.ts";
import type { UpstreamAnswer } from "../transports/upstream-answer.ts";
import type { FromWorker, ToWorker, WorkerOptions } from "./worker.ts";

export type BlockFilesUpstreamOptions = {
  readonly name: string;
  /** Absolute; holds ledger.json and blocks/. */
  readonly directory: string;
  readonly maxResponseBytes: number;
};

export type BlockFilesUpstreamParts = { readonly timers: Pick<TimerWheel, "set" | "clear"> };

type Pending = { readonly timer: Timer; readonly asker: Asker };

const ENDED: UpstreamAnswer = { kind: "unreachable", code: "LEDGER_WORKER_ENDED" };
const CLOSED: UpstreamAnswer = { kind: "unreachable", code: "LEDGER_CLOSED" };

/**
 * A ledger of files in the place of a node. Reading and encoding blocks takes milliseconds, so a
 * thread of its own does it, which starts at the first call and again after it has died.
 */
export class BlockFilesUpstream implements Transport {
  readonly name: string;
  readonly #options: WorkerOptions;
  readonly #timers: BlockFilesUpstreamParts["timers"];
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #lastId = 0;
  #isClosed = false;

  constructor(options: BlockFilesUpstreamOptions, parts: BlockFilesUpstreamParts) {
    this.name = options.name;
    const { directory, maxResponseBytes } = options;
    this.#options = { directory, maxResponseBytes };
    this.#timers = parts.timers;
  }

  /** Whether the thread runs: who reads the files next may find another ledger there. */
  get isConnected(): boolean {
    return this.#worker !== undefined;
  }

  /**
   * One request, one answer: the asker is told later, within `timeoutMs` whatever the files hold.
   * `params` is the JSON text of the positional params.
   */
  call({ method, params, timeoutMs }: UpstreamRequest, asker: Asker): InAir {
    this.#lastId += 1;
    const id = this.#lastId;
    const timer = this.#timers.set(timeoutMs, () => {
      this.#cancel(id);
      asker.answered({ kind: "timeout" });
    });
    this.#pending.set(id, { timer, asker });
    if (this.#isClosed) setImmediate(() => this.#settle(id, CLOSED));
    else this.#post({ id, method, params });
    return { cancel: () => this.#cancel(id) };
  }

  /** Ends the thread; calls in the air are answered as unreachable. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    this.#worker = undefined;
    this.#settleAll(CLOSED);
    await worker?.terminate();
  }

  #cancel(id: number): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    this.#timers.clear(pending.timer);
    this.#worker?.postMessage({ cancelled: id } satisfies ToWorker);
  }

  #post(message: ToWorker): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(message);
  }

  #start(): Worker {
    const file = entryFile("block-files/worker");
    const worker = new Worker(file, { workerData: this.#options, name: "tollgate-ledger" });
    // Node's own thread of the gateway decides how long the process lives.
    worker.unref();
    worker.on("message", (answer: FromWorker) => this.#settle(answer.id, answerOf(answer)));
    // "exit" follows, where the calls are answered; unheard, the error would end the process.
    worker.on("error", () => undefined);
    worker.on("exit", () => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#settleAll(ENDED);
    });
    return worker;
  }

  #settle(id: number, answer: UpstreamAnswer): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    this.#timers.clear(pending.timer);
    pending.asker.answered(answer);
  }

  #settleAll(answer: UpstreamAnswer): void {
    for (const id of [...this.#pending.keys()]) this.#settle(id, answer);
  }
}

function answerOf(answer: FromWorker): UpstreamAnswer {
  switch (answer.kind) {
    case "result": {
      const { buffer, byteOffset, byteLength } = answer.result;
      return { kind: "result", result: [Buffer.from(buffer, byteOffset, byteLength)] };
    }
    case "error":
      return { kind: "error", status: 200, error: answer.error };
    case "too_large":
      return { kind: "too_large" };
  }
}

import { parentPort, workerData } from "node:worker_threads";
import { BlockFiles } from "./block-files.ts";
import { RpcFault } from "./block-files-fault.ts";
import { BlockFilesMethods } from "./block-files-methods.ts";

export type WorkerOptions = { readonly directory: string; readonly maxResponseBytes: number };

/** From the main thread: a call, or that nobody waits for one any more. */
export type ToWorker =
  | { readonly id: number; readonly method: string; readonly params: string }
  | { readonly cancelled: number };

/** To the main thread: the result's bytes are handed over, not copied. */
export type FromWorker = { readonly id: number } & (
  | { readonly kind: "result"; readonly result: Uint8Array }
  | {
      readonly kind: "error";
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
    }
  | { readonly kind: "too_large" }
);

/**
 * Answers of this size get pages of their own. The main thread frees answers when it collects garbage, and malloc
 * then kept what they had in this thread's arena: 48 of the 478 MB that the whole benchmark left.
 */
const OWN_PAGES_BYTES = 64 * 1024;

type Call = Exclude<ToWorker, { readonly cancelled: number }>;

/**
 * Answers calls one after the other, and looks between two of them what has been cancelled. A
 * search for a signature lets other calls in between its steps.
 */
class LedgerWorker {
  readonly #maxBytes: number;
  readonly #methods: BlockFilesMethods;
  readonly #post: (answer: FromWorker) => void;
  readonly #waiting = new Map<number, Call>();
  #isRunning = false;

  constructor(options: WorkerOptions, post: (answer: FromWorker) => void) {
    this.#maxBytes = options.maxResponseBytes;
    this.#post = post;
    const now = (): number => performance.now();
    const files = new BlockFiles(options.directory, { now });
    const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    this.#methods = new BlockFilesMethods(files, { pause });
  }

  take(message: ToWorker): void {
    if ("cancelled" in message) {
      this.#waiting.delete(message.cancelled);
      return;
    }
    this.#waiting.set(message.id, message);
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(() => this.#runNext());
  }

  #runNext(): void {
    const [call] = this.#waiting.values();
    if (call === undefined) {
      this.#isRunning = false;
      return;
    }
    this.#waiting.delete(call.id);
    void this.#run(call);
    setImmediate(() => this.#runNext());
  }

  async #run({ id, method, params }: Call): Promise<void> {
    try {
      const text = await this.#methods.call(method, params);
      const length = Buffer.byteLength(text);
      if (length > this.#maxBytes) this.#post({ id, kind: "too_large" });
      else this.#post({ id, kind: "result", result: bytesOf(text, length) });
    } catch (error) {
      this.#post({ id, kind: "error", error: errorObject(error) });
    }
  }
}

function bytesOf(text: string, length: number): Uint8Array {
  // V8 maps pages for what may grow, and unmaps them when it is freed.
  const options = length < OWN_PAGES_BYTES ? {} : { maxByteLength: length };
  const bytes = new Uint8Array(new ArrayBuffer(length, options));
  new TextEncoder().encodeInto(text, bytes);
  return bytes;
}

/** Whatever else a file may have led to is the file's fault, and no reason to end. */
function errorObject(error: unknown): { code: number; message: string; data?: unknown } {
  if (!(error instanceof RpcFault)) return { code: -32603, message: "Internal error" };
  const { code, message, data } = error;
  return data === undefined ? { code, message } : { code, message, data };
}

function main(): void {
  const port = parentPort;
  if (port === null) throw new Error("this file runs as a worker thread");
  const worker = new LedgerWorker(workerData as WorkerOptions, (answer) => {
    const owned = answer.kind === "result" ? [answer.result.buffer as ArrayBuffer] : [];
    port.postMessage(answer, owned);
  });
  port.on("message", (message: ToWorker) => worker.take(message));
}

main();

import path from "node:path";
import { Worker } from "node:worker_threads";
import { MAX_INPUT_BYTES } from "./mutate.ts";

/** An input takes far less than a millisecond. */
const HANG_MS = 10_000;
const MOST_MEMORY_MB = 512;

export type Limits = {
  readonly seed: number;
  /** It ends at whichever comes first. */
  readonly executions: number;
  readonly seconds: number;
};

export type Job = Limits & {
  /** The file that `bundle` made. */
  readonly bundle: string;
  readonly corpus: readonly Uint8Array[];
  /** How many inputs were run, the size of the last one, and its bytes. */
  readonly shared: SharedArrayBuffer;
};

export type Found = {
  readonly executions: number;
  readonly seconds: number;
  /** Branches, and how often each was taken, by powers of two. */
  readonly features: number;
  /** The inputs that were the first to take a branch so often. */
  readonly corpus: readonly Uint8Array[];
  fault: { readonly message: string; readonly input: Uint8Array } | undefined;
};

/** Runs a fuzzer in a thread of its own, which may hang or run out of memory. */
export function fuzz(bundle: string, corpus: readonly Buffer[], limits: Limits): Promise<Found> {
  const shared = new SharedArrayBuffer(8 + MAX_INPUT_BYTES);
  const progress = new Int32Array(shared, 0, 2);
  const workerData: Job = { ...limits, bundle, corpus, shared };
  const thread = new Worker(path.join(import.meta.dirname, "thread.ts"), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
  });
  const began = performance.now();
  const ended = (message: string): Found => ({
    executions: progress[0] ?? 0,
    seconds: (performance.now() - began) / 1000,
    features: 0,
    corpus: [],
    fault: { message, input: new Uint8Array(shared, 8, progress[1]).slice() },
  });
  return new Promise((resolve) => {
    let last = -1;
    const watch = setInterval(() => {
      const now = progress[0] ?? 0;
      if (now === last) end(ended(`nothing was answered for ${HANG_MS} ms`));
      last = now;
    }, HANG_MS);
    const end = (found: Found) => {
      clearInterval(watch);
      void thread.terminate();
      resolve(found);
    };
    thread.once("message", end);
    thread.once("error", (error) => end(ended(error.message)));
  });
}

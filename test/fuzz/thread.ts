import { createRequire } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import { explore, messageOf, shortened, type Target } from "./engine.ts";
import type { Found, Job } from "./fuzz.ts";
import { COUNTERS, MAX_PLACES } from "./instrument.ts";

const { bundle, corpus, executions, seconds, seed, shared } = workerData as Job;
const [progress, place] = [new Int32Array(shared, 0, 2), new Uint8Array(shared, 8)];
const counters = new Uint8Array(MAX_PLACES);
Object.defineProperty(globalThis, COUNTERS, { value: counters });
const target = createRequire(import.meta.url)(bundle) as Target & { readonly WORDS: string[] };

// Most inputs end in an error, whose trace would take longer than all else.
Error.stackTraceLimit = 0;

const began = performance.now();
const report = explore(target, counters, {
  seed,
  corpus: corpus.map((input) => Buffer.from(input)),
  words: target.WORDS.map((word) => Buffer.from(word, "latin1")),
  goesOn: (now) => now.executions < executions && performance.now() - began < seconds * 1000,
  // For whoever has to end this thread.
  onInput: (input) => {
    place.set(input);
    progress[1] = input.length;
    progress[0] = (progress[0] ?? 0) + 1;
  },
});
const { fault, features, corpus: reached } = report;
const found: Found = {
  executions: report.executions,
  seconds: (performance.now() - began) / 1000,
  features,
  corpus: reached,
  fault: undefined,
};
if (fault !== undefined) {
  const message = messageOf(fault.error);
  found.fault = { message, input: shortened(target, fault.input, message) };
}
parentPort?.postMessage(found);

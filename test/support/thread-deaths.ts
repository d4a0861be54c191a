import { channel } from "node:diagnostics_channel";
import { BroadcastChannel, isMainThread, type Worker } from "node:worker_threads";

/**
 * To be loaded with `--import` into a process that has a storage: at each SIGUSR2 its storage's thread
 * dies, in one way after the other, and a parent with a channel is told `{ id: 0 }`. The order comes not by
 * the thread's own port: who listens there first begins the messages.
 */
const orders = new BroadcastChannel("thread-deaths");

const WAYS: readonly ((thread: Worker) => void)[] = [
  (thread) => void thread.terminate(),
  // An error that nobody catches.
  (thread) => thread.postMessage(null),
  () => orders.postMessage("exit"),
];

if (isMainThread) {
  let storageThread: Worker | undefined;
  let deaths = 0;
  channel("worker_threads").subscribe((message) => {
    const { worker } = message as { readonly worker: Worker };
    if (worker.threadName !== "tollgate-storage") return;
    storageThread = worker;
    worker.once("exit", () => process.connected && process.send?.({ id: 0 }));
  });
  process.on("SIGUSR2", () => {
    const way = WAYS[deaths % WAYS.length];
    deaths += 1;
    if (storageThread !== undefined) way?.(storageThread);
  });
} else {
  orders.onmessage = () => process.exit(3);
}
// After that it was set: a listener holds the process or thread.
orders.unref();

import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../../lib/clock.ts";
import { type Call, type Reply, SqliteCalls } from "./calls.ts";
import type { DatabaseOptions } from "./database.ts";

/** From the main thread; `"close"` is the last message. */
export type Request = "close" | Call;

/** To the main thread. */
export type Answer = "ready" | Reply;

function main(): void {
  const port = parentPort;
  if (port === null) throw new Error("this file runs as a worker thread");
  const send = (message: Answer): void => port.postMessage(message);
  const calls = new SqliteCalls(workerData as DatabaseOptions, { time: systemClock, reply: send });
  port.on("message", (request: Request) => {
    if (request !== "close") return calls.run(request);
    calls.end();
    port.close();
  });
  send("ready");
}

main();

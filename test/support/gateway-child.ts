import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { type LimitedOptions, startLimitedGateway } from "./limited-gateway.ts";
import { usedBytes } from "./memory.ts";
import { recordFor } from "./written.ts";

/** The process behind gateway-process.ts: says its ports, then its state whenever it is asked. */
const [nodeUrl = "", options = "{}"] = process.argv.slice(2);
recordFor("gateway-child.ts");
const gateway = await startLimitedGateway(nodeUrl, JSON.parse(options) as LimitedOptions);
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
// What the system calls the peak would be that of the process which forked this one.
let peakBytes = 0;
setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
}, 10);

process.on("message", async () => {
  const maxDelayMs = delay.max / 1e6;
  const state = { maxDelayMs, usedBytes: await usedBytes(), peakBytes };
  peakBytes = 0;
  // The collection above is no delay of the gateway's: it is counted by the next sample.
  await setTimeout(10);
  delay.reset();
  process.send?.(state);
});
process.once("disconnect", () => process.exit());
const { port, adminPort, path, wsPath, otherPath, otherWsPath } = gateway;
process.send?.({ port, adminPort, path, wsPath, otherPath, otherWsPath });

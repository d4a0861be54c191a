import type { Logger } from "./log.ts";

/** Node's default action for both is to end the process, with the calls in the air. */
const IGNORED = ["SIGHUP", "SIGUSR2"] as const;

/**
 * A closed terminal, or whoever expects a reload, signals every process of the gateway. They say so in
 * the log and serve on. `log` is asked for at the signal: a process may not have one yet.
 */
export function ignoreSignals(log: () => Logger | undefined): void {
  for (const signal of IGNORED) {
    process.on(signal, () => log()?.warn({ signal }, "signal ignored: it has no effect here"));
  }
}

import type { Logger } from "./log.ts";

/** Node's default action for both is to end the process, with the calls in the air. */
const IGNORED = ["SIGHUP", "SIGUSR2"] as const;

/**
 * A closed terminal, or whoever wants a reload, signals every process of the gateway. One of them has the file, and
 * reloads it; the others say in the log that they do nothing, and serve on. `log` is asked for at the signal: a process
 * may not have one yet.
 */
export function ignoreSignals(
  log: () => Logger | undefined,
  { reload }: { readonly reload?: () => void } = {},
): void {
  for (const signal of IGNORED) {
    process.on(signal, () => {
      if (signal === "SIGHUP" && reload !== undefined) reload();
      else log()?.warn({ signal }, "signal ignored: it has no effect here");
    });
  }
}

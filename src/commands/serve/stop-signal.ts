/**
 * Resolves with the first SIGTERM or SIGINT (Ctrl-C). A second one ends the process at once, for
 * people who do not want to wait for the calls in the air.
 */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const signals: NodeJS.Signals[] = ["SIGTERM", "SIGINT"];
    const first = (signal: NodeJS.Signals) => {
      for (const each of signals) {
        process.off(each, first);
        process.once(each, () => process.exit(1));
      }
      resolve(signal);
    };
    for (const each of signals) process.on(each, first);
  });
}

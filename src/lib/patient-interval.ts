/** Later than this by more than a busy moment of the process. */
const STALLED_MS = 100;

/**
 * `setInterval` for what looks at deadlines. After a stall (a process that was suspended, a long task)
 * Node runs timers before it reads its sockets: a deadline would be over although the answer had come
 * in time. So sockets are read once before `run` is called then. Keeps no process alive.
 */
export function patientInterval(run: () => void, everyMs: number): NodeJS.Timeout {
  let lastMs = performance.now();
  const tick = (): void => {
    const nowMs = performance.now();
    const isStalled = nowMs - lastMs >= everyMs + STALLED_MS;
    lastMs = nowMs;
    if (isStalled) setImmediate(run);
    else run();
  };
  return setInterval(tick, everyMs).unref();
}

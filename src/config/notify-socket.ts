/** Where systemd waits for word of a process that it started with Type=notify; undefined where nobody does. */
export function notifySocket(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  return environment["NOTIFY_SOCKET"];
}

import { execFile } from "node:child_process";
import { notifySocket } from "../../config/notify-socket.ts";
import type { Logger } from "../../telemetry/log.ts";

const MISSING = "systemd waits for word of this process, and systemd-notify cannot tell it";

/**
 * Tells systemd, where it started this process with Type=notify, as sd_notify(3) has it. Its socket takes
 * datagrams, which Node does not send: systemd-notify does, so that the unit needs NotifyAccess=all.
 */
export function tellServiceManager(state: "READY=1" | "STOPPING=1", log: Logger): void {
  if (notifySocket() === undefined) return;
  execFile("systemd-notify", [state], (error) => {
    if (error !== null) log.warn({ state, cause: String(error) }, MISSING);
  });
}

import { readFileSync } from "node:fs";

/** Of a process, as /proc/PID/status tells it; null where it does not. */
export function memoryBytes(pid: number, what: "VmRSS" | "VmHWM"): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    const kilobytes = new RegExp(`^${what}:\\s*(\\d+) kB$`, "m").exec(status)?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    return null;
  }
}

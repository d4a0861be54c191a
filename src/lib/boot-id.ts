import { readFileSync } from "node:fs";

/** Linux makes it anew at each start of the machine. */
const LINUX_BOOT_ID = "/proc/sys/kernel/random/boot_id";
/** A clock that is set makes it look like another start, which is the safe side. */
const ROUNDED_TO_MS = 60_000;

/**
 * A text that is another one after the machine was started again. `now`: Unix time, `elapsed`: since the machine's
 * start; both in milliseconds.
 */
export function bootId({
  now,
  elapsed,
}: {
  readonly now: () => number;
  readonly elapsed: () => number;
}): string {
  try {
    return readFileSync(LINUX_BOOT_ID, "utf8").trim();
  } catch {
    return String(Math.round((now() - elapsed()) / ROUNDED_TO_MS));
  }
}

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** What /proc counts in: 100 a second for every Linux that user programs see. */
const TICKS_PER_SECOND = 100;

/** CPU time, user and system, of all threads of a process, microseconds; null where /proc is absent. */
export function cpuTimeUs(pid: number): number | null {
  const stat = statOf(pid);
  return stat && toUs((stat[11] ?? 0) + (stat[12] ?? 0));
}

/** The same of those of its children that have ended. */
export function endedChildrenUs(pid: number): number | null {
  const stat = statOf(pid);
  return stat && toUs((stat[13] ?? 0) + (stat[14] ?? 0));
}

export function parentOf(pid: number): number | null {
  return statOf(pid)?.[1] ?? null;
}

const toUs = (ticks: number): number => (ticks * 1_000_000) / TICKS_PER_SECOND;

/** The fields behind the second, which is the name in parentheses and may hold spaces; null where there are none. */
function statOf(pid: number): readonly number[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
  } catch {
    return null;
  }
}

/** How often a process has written since it began, all threads; null where /proc does not tell. */
export function writesOf(pid: number): number | null {
  try {
    const found = /^syscw: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "latin1"))?.[1];
    return found === undefined ? null : Number(found);
  } catch {
    return null;
  }
}

/** Which cores the subject, and which everything else, may use; null: left to the system. */
export type Cores = { readonly subject: string; readonly others: string };

/** The first allowed core for the subject alone. Null without taskset, or with one core only. */
export function planCores(): Cores | null {
  const shown = spawnSync("taskset", ["-cp", String(process.pid)], { encoding: "utf8" });
  const list = shown.status === 0 ? /: *([\d,-]+)\s*$/.exec(shown.stdout)?.[1] : undefined;
  const [subject, ...others] = list === undefined ? [] : coresOf(list);
  if (subject === undefined || others.length === 0) return null;
  return { subject: String(subject), others: others.join(",") };
}

/** The cores in a list such as `0-2,5`. */
function coresOf(list: string): number[] {
  return list.split(",").flatMap((part) => {
    const [first = 0, last = first] = part.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  });
}

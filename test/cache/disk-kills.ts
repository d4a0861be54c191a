import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { type Look, look } from "./disk-entries.ts";

type Child = { readonly kill: () => Promise<void>; readonly last: () => number };

async function start(path: string, first: number): Promise<Child> {
  const child = spawn(process.execPath, ["test/cache/disk-child.ts", path, String(first)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let last = first;
  child.stdout.on("data", (data: Buffer) => {
    last = Number(data.toString("latin1").trim().split("\n").at(-1));
  });
  await once(child.stdout, "data");
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  };
  return { kill, last: () => last };
}

/**
 * As many processes write to the folder from entry `first` on and are killed `afterMs` later; then
 * it is opened. `end`: an entry that none of them can have reached.
 */
export async function killRound(
  path: string,
  { first, processes, afterMs }: { first: number; processes: number; afterMs: number },
): Promise<Look & { end: number }> {
  const starts = Array.from({ length: processes }, (_, at) => start(path, first + at * 300));
  const children = await Promise.all(starts);
  await pause(afterMs);
  await Promise.all(children.map((child) => child.kill()));
  const end = Math.max(...children.map((child) => child.last())) + 2_000;
  return { ...(await look(path, end)), end };
}

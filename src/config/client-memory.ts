import { totalmem } from "node:os";
import process from "node:process";
import type { Config } from "./schema.ts";

/** Beside it stand the caches, the code, and what the system needs. */
const SHARE = 1 / 8;
/** Less could not hold one answer of the default `maxResponseBytes`, 64 MiB. */
const LEAST_CLIENT_MEMORY_BYTES = 134_217_728;
/** The rest is for what was let go and is not collected yet. */
const HELD = 3 / 4;

/** The bytes that clients may make one process hold: most of its part of `server.memoryBytes`. */
export function clientMemoryBytes({
  memoryBytes,
  workers,
}: Pick<Config["server"], "memoryBytes" | "workers">): number {
  const bytes = memoryBytes ?? Math.max(machineBytes() * SHARE, LEAST_CLIENT_MEMORY_BYTES);
  return Math.floor((bytes * HELD) / workers);
}

/** The container's memory if it has less than its machine. */
function machineBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

import { StorageError } from "./store.ts";

/** Why a process could not start, as the command line tells it: the stack only of what nobody foresaw. */
export function startFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const foreseen = error instanceof StorageError || "syscall" in error;
  return foreseen ? error.message : (error.stack ?? error.message);
}

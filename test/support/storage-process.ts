import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const CHILD = fileURLToPath(new URL("./storage-child.ts", import.meta.url));
/** The id of what the process says by itself; see `thread-deaths.ts`. */
const THREAD_DIED = 0;
const DEATHS = new URL("./thread-deaths.ts", import.meta.url).href;

/** A SQLite storage in a process of its own. */
export type StorageProcess = {
  readonly pid: number;
  /** What it answers. @throws Error with the StorageError's text where the store rejects */
  readonly call: (store: string, method: string, ...args: readonly unknown[]) => Promise<unknown>;
  /** Has the storage's thread die, in one way after the other. Resolves when it has. */
  readonly killThread: () => Promise<void>;
  readonly end: () => Promise<void>;
};

export type StorageProcessOptions = {
  readonly path: string;
  /** As of `openSqlite`. */
  readonly threadAfterMs: number;
  /** What has to stand before the command. */
  readonly command?: (argv: readonly string[]) => readonly [file: string, ...args: string[]];
};

type Reply = { readonly id: number; readonly value?: unknown; readonly error?: string };

export async function startStorage({
  path,
  threadAfterMs,
  command = ([file = "", ...args]) => [file, ...args],
}: StorageProcessOptions): Promise<StorageProcess> {
  const argv = [process.execPath, "--import", DEATHS, CHILD, path, String(threadAfterMs)];
  const [file, ...args] = command(argv);
  const child = spawn(file, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const ended = once(child, "exit");
  const waiting = new Map<number, (reply: Reply) => void>();
  await once(child, "message");
  child.on("message", (reply: Reply) => {
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  let lastId = 0;
  return {
    pid: child.pid ?? 0,
    call: async (store, method, ...args) => {
      lastId += 1;
      const id = lastId;
      const told = new Promise<Reply>((resolve) => waiting.set(id, resolve));
      child.send({ id, store, method, args });
      const { value, error } = await told;
      if (error !== undefined) throw new Error(error);
      return value;
    },
    killThread: () =>
      new Promise((resolve) => {
        waiting.set(THREAD_DIED, () => resolve());
        child.kill("SIGUSR2");
      }),
    end: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

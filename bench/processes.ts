import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Cores } from "./cpu.ts";

/** A running process of the bench. */
export type Part = {
  readonly pid: number;
  /** Sends a message and waits for the next one back; rejects where the process ends instead. */
  readonly ask: (message: object) => Promise<unknown>;
  /** What it wrote last to standard error. */
  readonly stderr: () => string;
  readonly ended: () => boolean;
  readonly stop: () => Promise<void>;
};

/** How long a process may take to end by itself after SIGTERM. */
const STOP_MS = 5000;
const STDERR_CHARS = 2000;

/**
 * Where a process runs: on the subject's core, on the others, on any, or on the others as one that has the processor
 * while nobody else wants it (SCHED_IDLE): what a burden takes of the others' cores is not the subject's.
 */
export type Place = keyof Cores | "anywhere" | "background";

/** Every process that the bench starts, so that all of them can be ended, by pid, whatever happens. */
export class Processes {
  readonly #cores: Cores | null;
  readonly #running = new Set<Part>();
  #isStopped = false;

  constructor(options: { readonly cores: Cores | null }) {
    this.#cores = options.cores;
  }

  /** Starts a script of this folder that sends `{port}`, and what else there is to know, when it is ready. */
  async startChild<Ready extends { readonly port: number } = { readonly port: number }>(
    place: Place,
    script: string,
    ...args: string[]
  ): Promise<{ readonly part: Part } & Ready> {
    const file = fileURLToPath(new URL(script, import.meta.url));
    const child = this.#spawn(place, [file, ...args], true);
    const part = this.#follow(child);
    return { part, ...((await nextMessage(child, part)) as Ready) };
  }

  /** Starts a Node program that knows nothing of the bench. */
  startProgram(place: Place, args: readonly string[]): Part {
    return this.#follow(this.#spawn(place, args, false));
  }

  /**
   * Puts a program that was started `anywhere` on the subject's core, with all its threads. What it decides at its start
   * by the number of cores is then what it decides where it is used, and its CPU is told from that of others.
   */
  pinToSubject({ pid }: Part): void {
    if (this.#cores === null) return;
    const { status } = spawnSync("taskset", ["-a", "-c", "-p", this.#cores.subject, String(pid)]);
    if (status !== 0) throw new Error(`taskset could not pin process ${pid}`);
  }

  pids(): number[] {
    return [...this.#running].map((part) => part.pid);
  }

  /** Ends all, and lets no other start. */
  async stopAll(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#running].map((part) => part.stop()));
  }

  #spawn(place: Place, args: readonly string[], ipc: boolean): ChildProcess {
    if (this.#isStopped) throw new Error("the bench was stopped");
    const node = [process.execPath, ...args];
    const [command = process.execPath, ...rest] = [...this.#startedBy(place), ...node];
    const stdio = ["ignore", "ignore", "pipe"] as const;
    return spawn(command, rest, { stdio: ipc ? [...stdio, "ipc"] : [...stdio] });
  }

  #startedBy(place: Place): readonly string[] {
    if (this.#cores === null || place === "anywhere") return [];
    const isBackground = place === "background";
    const pinned = ["taskset", "-c", this.#cores[isBackground ? "others" : place]];
    return isBackground ? ["chrt", "--idle", "0", ...pinned] : pinned;
  }

  #follow(child: ChildProcess): Part {
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-STDERR_CHARS);
    });
    const ended = () => child.exitCode !== null || child.signalCode !== null;
    const part: Part = {
      pid: child.pid ?? 0,
      ask: (message) => {
        child.send(message);
        return nextMessage(child, part);
      },
      stderr: () => stderr,
      ended,
      stop: () => (ended() ? Promise.resolve() : stop(child)),
    };
    this.#running.add(part);
    child.once("exit", () => this.#running.delete(part));
    return part;
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await exit;
  clearTimeout(timer);
}

function nextMessage(child: ChildProcess, part: Part): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown) => {
      child.off("exit", onExit);
      resolve(message);
    };
    const onExit = () => {
      child.off("message", onMessage);
      reject(new Error(`process ${part.pid} ended: ${part.stderr()}`));
    };
    child.once("message", onMessage);
    child.once("exit", onExit);
  });
}

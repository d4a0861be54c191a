import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import type { Config } from "../../config/schema.ts";
import type { ConsoleStart, FromConsole, Ports, ToConsole } from "../../console/messages.ts";
import type { MonotonicMs, Time } from "../../lib/clock.ts";
import { entryFile } from "../../lib/own-files.ts";
import { RestartPause } from "../../lib/restart-pause.ts";
import type { Logger } from "../../telemetry/log.ts";

/** Longer than the dashboard itself takes to give up what does not end. */
const STOP_MS = 6000;
/** Ctrl-C ends it too: it must not be started again while this process hears of it. */
const SHORTEST_PAUSE_MS = 250;

export type ServingConsole = { readonly port: number; readonly publicUrl: string };

/**
 * The dashboard in a process of its own, started again when it ends: whatever happens to it, the
 * gateway serves on.
 */
export class ConsoleHost {
  readonly #log: Logger;
  readonly #time: Time;
  readonly #pause = new RestartPause();
  #start: ConsoleStart | undefined;
  #process: ChildProcess | undefined;
  #port: number | undefined;
  #servingSinceMs: MonotonicMs | undefined;
  #stopRestart: () => void = () => undefined;
  #isStopping = false;
  #isRestarting = false;
  #serving: ((serving: ServingConsole) => void)[] = [];
  #links: ((url: string) => void)[] = [];

  /** Loads the program at once; it begins to serve when it is told what. */
  constructor(log: Logger, time: Time) {
    this.#time = time;
    this.#log = log;
    this.#fork();
  }

  /** Where it serves, once it does. */
  start(options: Omit<ConsoleStart, "kind">): Promise<ServingConsole> {
    this.#start = { kind: "start", ...options };
    this.#send(this.#start);
    return new Promise((resolve) => this.#serving.push(resolve));
  }

  /** Serves with another configuration from another process, where a page shows something of what differs. */
  restart(config: Config): void {
    const before = this.#start;
    if (before === undefined || isShownAlike(before.config, config)) return;
    this.#start = { ...withPort(before, this.#nextPort(before)), config };
    this.#isRestarting = this.#process !== undefined;
    this.#send({ kind: "stop" });
  }

  /** A link that signs the owner of this e-mail in, once. Never, where it does not serve. */
  signInLink(email: string): Promise<string> {
    this.#send({ kind: "link", email });
    return new Promise((resolve) => this.#links.push(resolve));
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Lets it finish; killed where it does not. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#stopRestart();
    const child = this.#process;
    if (child === undefined) return;
    await new Promise<void>((resolve) => {
      const stopWaiting = this.#time.after(STOP_MS, () => child.kill("SIGKILL"));
      child.once("exit", () => {
        stopWaiting();
        resolve();
      });
      this.#send({ kind: "stop" });
    });
  }

  #fork(): void {
    const file = entryFile("console/entry");
    // JSON would drop what is undefined, and a configuration has such keys.
    const child = fork(fileURLToPath(file), [], { serialization: "advanced" });
    this.#process = child;
    this.#servingSinceMs = undefined;
    child.on("message", (message: FromConsole) => this.#take(message));
    child.on("error", () => undefined);
    child.once("exit", (code, signal) => this.#ended(child, signal ?? code ?? 0));
    if (this.#start !== undefined) this.#send(this.#start);
  }

  #take(message: FromConsole): void {
    switch (message.kind) {
      case "serving": {
        const { port, publicUrl } = message;
        this.#port = port;
        this.#servingSinceMs = this.#time.monotonic();
        this.#log.info({ port, pid: this.pid }, "dashboard serves");
        for (const tell of this.#serving.splice(0)) tell({ port, publicUrl });
        return;
      }
      case "link":
        this.#links.shift()?.(message.url);
        return;
      case "failed":
        this.#log.error({ cause: message.text }, "dashboard did not start");
    }
  }

  #ended(child: ChildProcess, cause: string | number): void {
    if (this.#process !== child) return;
    this.#process = undefined;
    if (this.#isStopping) return;
    if (this.#isRestarting) {
      this.#isRestarting = false;
      this.#fork();
      return;
    }
    const since = this.#servingSinceMs;
    const servedMs = since === undefined ? 0 : this.#time.monotonic() - since;
    const pauseMs = Math.max(this.#pause.after(servedMs), SHORTEST_PAUSE_MS);
    this.#log.warn({ pid: child.pid, cause, pauseMs }, "dashboard ended");
    if (this.#start !== undefined) this.#start = withPort(this.#start, this.#nextPort(this.#start));
    this.#stopRestart = this.#time.after(pauseMs, () => this.#fork());
  }

  /** A page that is open comes back to the same port. */
  #nextPort({ movesOn, ports }: ConsoleStart): number {
    return this.#port ?? (movesOn ? ports.console + 1 : ports.console);
  }

  #send(message: ToConsole): void {
    if (this.#process?.connected) this.#process.send(message, () => undefined);
  }
}

function isShownAlike(one: Config, other: Config): boolean {
  const shown = ({ plans, networks, log }: Config) => [
    ...[plans, log],
    networks.map(({ upstreams: _, ...rest }) => rest),
  ];
  return isDeepStrictEqual(shown(one), shown(other));
}

function withPort(start: ConsoleStart, port: number): ConsoleStart {
  const ports: Ports = { ...start.ports, console: port };
  return { ...start, ports };
}

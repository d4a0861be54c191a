import { startFailure } from "../storage/start-failure.ts";
import { ignoreSignals } from "../telemetry/ignored-signals.ts";
import { createLog, type Logger } from "../telemetry/log.ts";
import type { ConsoleStart, FromConsole, ToConsole } from "./messages.ts";
import { type RunningConsole, startConsole } from "./start-console.ts";

/** Work that still runs by then is given up: the gateway's process does not wait any longer. */
const STOP_MS = 4000;

/** The dashboard in a process of its own. It does what the gateway's process says, and ends with it. */
export class ConsoleProcess {
  #running: Promise<RunningConsole | undefined> = Promise.resolve(undefined);
  #isStopping = false;
  #log: Logger | undefined;

  listen(): void {
    ignoreSignals(() => this.#log);
    process.on("message", (message: ToConsole) => void this.#take(message));
    process.on("disconnect", () => void this.#stop());
    // Ctrl-C reaches all processes of a terminal, and service managers may tell each one too.
    for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => void this.#stop());
  }

  async #take(message: ToConsole): Promise<void> {
    switch (message.kind) {
      case "start":
        this.#running = this.#start(message);
        return;
      case "link": {
        const url = await (await this.#running)?.signInLink(message.email);
        if (url !== undefined) await send({ kind: "link", url });
        return;
      }
      case "stop":
        return this.#stop();
    }
  }

  async #start(start: ConsoleStart): Promise<RunningConsole | undefined> {
    const { level } = start.config.log;
    const log = createLog({ level, terminal: process.stdout.isTTY }).child({ part: "dashboard" });
    this.#log = log;
    try {
      const running = await startConsole(start, log);
      const { port, publicUrl } = running;
      await send({ kind: "serving", port, publicUrl });
      return running;
    } catch (error) {
      await send({ kind: "failed", text: startFailure(error) });
      return process.exit(1);
    }
  }

  async #stop(): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    setTimeout(() => process.exit(1), STOP_MS).unref();
    await (await this.#running)?.stop();
    process.exit(0);
  }
}

/** Resolves once it is written, or cannot be: where the gateway's process is gone. */
function send(message: FromConsole): Promise<void> {
  return new Promise((resolve) => {
    if (!process.connected) return resolve();
    process.send?.(message, undefined, undefined, () => resolve());
  });
}

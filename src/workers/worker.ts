import { type RunningGateway, startGateway } from "../app.ts";
import { ownConfig } from "../config/own-config.ts";
import { sharedMonotonic } from "../lib/clock.ts";
import type { PreparedReload } from "../reload/reloads.ts";
import { openStorage } from "../storage/open.ts";
import { startFailure } from "../storage/start-failure.ts";
import type { Storage } from "../storage/store.ts";
import { ignoreSignals } from "../telemetry/ignored-signals.ts";
import { createLog, type Logger } from "../telemetry/log.ts";
import { EventLoop } from "../wire/event-loop.ts";
import type { BoardIndexes } from "./board-places.ts";
import {
  type Answers,
  BOARD_FD,
  type FromWorker,
  type Question,
  type Start,
  type ToWorker,
} from "./messages.ts";

const COUNTED_EVERY_MS = 1000;

type Running = { readonly gateway: RunningGateway; readonly storage: Storage };

/**
 * The gateway in a worker process. It does what the primary process says, and ends with it:
 * node:cluster ends a worker whose channel is closed.
 */
export class Worker {
  #running: Promise<Running | undefined> = Promise.resolve(undefined);
  #isStopping = false;
  #log: Logger | undefined;
  #boards: BoardIndexes = {};
  #prepared: PreparedReload | undefined;

  listen(): void {
    ignoreSignals(() => this.#log);
    process.on("message", (message: ToWorker) => void this.#take(message));
    // Ctrl-C reaches all processes of a terminal, and service managers may tell each one too.
    for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => void this.#stop());
  }

  async #take(message: ToWorker): Promise<void> {
    switch (message.kind) {
      case "start":
        this.#running = this.#start(message);
        return;
      case "stop":
        return this.#stop();
      case "ask": {
        const running = await this.#running;
        if (running === undefined) return;
        const answer = await this.#answerTo(message.question, running.gateway);
        await send({ kind: "answer", id: message.id, answer });
      }
    }
  }

  async #start({ number, config, boards }: Start): Promise<Running | undefined> {
    const terminal = process.stdout.isTTY;
    const log = createLog({ level: config.log.level, terminal }).child({ worker: number });
    this.#log = log;
    try {
      const storage = await openStorage(config.storage, { log, waits: true });
      const processes = config.server.workers;
      this.#boards = boards;
      const indexOf = (network: string) => this.#boards[network] ?? 0;
      const own = number - 1;
      const shared = { fd: BOARD_FD, processes, own, now: sharedMonotonic, indexOf };
      const loop = new EventLoop(config.server.wire);
      const parts = { storage, log, loop, clock: loop.clock, number, boards: shared };
      const gateway = await startGateway(ownConfig(config), parts);
      await send({ kind: "serving", port: gateway.port });
      const tell = () => send({ kind: "counted", families: gateway.operations.counters() });
      const look = () => {
        void tell();
        // The pool starts another one.
        if (storage.isGone()) void this.#stop();
      };
      setInterval(look, COUNTED_EVERY_MS).unref();
      return { gateway, storage };
    } catch (error) {
      await send({ kind: "failed", text: startFailure(error) });
      return process.exit(1);
    }
  }

  async #answerTo(
    question: Question,
    { operations, prepare }: RunningGateway,
  ): Promise<Answers[Question["kind"]]> {
    switch (question.kind) {
      case "metrics":
        return operations.metricFamilies();
      case "networks":
        return operations.networks();
      case "readiness":
        return operations.readiness();
      case "fleet":
        return (await operations.fleet()) ?? null;
      case "drain":
        return operations.setDrained(question.place, question.drained);
      case "prepare": {
        this.#boards = question.boards;
        const prepared = await prepare(ownConfig(question.config));
        if (!("commit" in prepared)) return prepared;
        this.#prepared = prepared;
        return [];
      }
      case "commit":
      case "abort": {
        await this.#prepared?.[question.kind]();
        this.#prepared = undefined;
        return "done";
      }
    }
  }

  async #stop(): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    const running = await this.#running;
    await running?.gateway.stop();
    await running?.storage.close();
    const families = await running?.gateway.operations.metricFamilies();
    if (families !== undefined) await send({ kind: "counted", families });
    process.exit(0);
  }
}

/** Resolves once it is written. Where the primary process is gone, so is this one at once. */
function send(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, undefined, undefined, () => resolve());
  });
}

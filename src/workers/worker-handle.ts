import type { ChildProcess } from "node:child_process";
import type { Worker as ClusterWorker } from "node:cluster";
import type { MetricFamily } from "../admin/operations.ts";
import type { MonotonicMs, Time } from "../lib/clock.ts";
import type { Answers, FromWorker, Question, Start, ToWorker } from "./messages.ts";

/** Longer than the slowest start, that of a store that another process has locked. */
const START_MS = 30_000;

type HandleTime = Pick<Time, "monotonic" | "after">;

export type WorkerEnd = {
  /** An exit code, or the signal that ended it. */
  readonly cause: number | string;
  readonly servedMs: number;
};

/** The worker's own reason for not starting, in words for people. */
export class WorkerStartError extends Error {
  override readonly name = "WorkerStartError";
}

/** One worker process, as its primary process sees it. */
export class WorkerHandle {
  readonly number: number;
  readonly pid: number | undefined;
  /** The port that it serves. @throws WorkerStartError where it ends, or is silent, before */
  readonly serving: Promise<number>;
  /** When its last message has been read, too. */
  readonly ended: Promise<WorkerEnd>;
  /** The port that it was told to open. */
  readonly askedPort: number;
  readonly #process: ClusterWorker;
  readonly #time: HandleTime;
  readonly #families = new Map<string, MetricFamily>();
  readonly #waiting = new Map<number, (answer: unknown) => void>();
  #lastId = 0;
  #servingSinceMs: MonotonicMs | undefined;
  #settle: { resolve: (port: number) => void; reject: (error: Error) => void } | undefined;

  constructor(worker: ClusterWorker, start: Start, time: HandleTime) {
    this.#time = time;
    this.number = start.number;
    this.askedPort = start.config.server.port;
    this.pid = worker.process.pid;
    this.#process = worker;
    this.serving = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.serving.catch(() => undefined);
    this.ended = this.#end();
    worker.on("message", (message: FromWorker) => this.#take(message));
    worker.on("error", () => undefined);
    this.#send(start);
  }

  get isServing(): boolean {
    return this.#servingSinceMs !== undefined && this.#process.isConnected();
  }

  /** All that it last told of its metrics. */
  get families(): readonly MetricFamily[] {
    return [...this.#families.values()];
  }

  /** Undefined where it does not answer within the time, or ends before. */
  ask<Kind extends Question["kind"]>(
    question: Extract<Question, { kind: Kind }>,
    timeoutMs: number,
  ): Promise<Answers[Kind] | undefined> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const settle = (answer?: unknown) => {
        stopWaiting();
        this.#waiting.delete(id);
        resolve(answer as Answers[Kind] | undefined);
      };
      const stopWaiting = this.#time.after(timeoutMs, settle);
      this.#waiting.set(id, settle);
      this.#send({ kind: "ask", id, question });
    });
  }

  /** Reads its metrics anew; where it does not answer, the last ones stand. */
  async readMetrics(timeoutMs: number): Promise<void> {
    const families = await this.ask({ kind: "metrics" }, timeoutMs);
    if (families !== undefined) this.#keep(families);
  }

  /** Lets the calls in the air finish; killed where it has not ended after that time. */
  async stop(withinMs: number): Promise<"stopped" | "killed"> {
    this.#send({ kind: "stop" });
    const stopWaiting = this.#time.after(withinMs, () => this.kill());
    const { cause } = await this.ended;
    stopWaiting();
    return cause === "SIGKILL" ? "killed" : "stopped";
  }

  kill(): void {
    this.#process.process.kill("SIGKILL");
  }

  async #end(): Promise<WorkerEnd> {
    const stopWaiting = this.#time.after(START_MS, () => {
      this.#failed(`did not start within ${START_MS / 1000} s`);
      this.kill();
    });
    this.serving.finally(stopWaiting).catch(() => undefined);
    const cause = await endOf(this.#process.process);
    this.#failed(`ended before it served (${cause})`);
    for (const settle of [...this.#waiting.values()]) settle(undefined);
    const since = this.#servingSinceMs;
    return { cause, servedMs: since === undefined ? 0 : this.#time.monotonic() - since };
  }

  #failed(text: string): void {
    this.#settle?.reject(new WorkerStartError(text));
  }

  #take(message: FromWorker): void {
    switch (message.kind) {
      case "serving":
        this.#servingSinceMs = this.#time.monotonic();
        this.#settle?.resolve(message.port);
        return;
      case "failed":
        this.#failed(message.text);
        return;
      case "counted":
        this.#keep(message.families);
        return;
      case "answer":
        this.#waiting.get(message.id)?.(message.answer);
    }
  }

  #keep(families: readonly MetricFamily[]): void {
    for (const family of families) this.#families.set(family.name, family);
  }

  /** To one that has ended nothing can be said; its end is told by `ended`. */
  #send(message: ToWorker): void {
    if (this.#process.isConnected()) this.#process.process.send(message, () => undefined);
  }
}

/**
 * An exit code or a signal, once the process has ended and its last message has been read. Where a
 * connection was on its way to it, Node (24.21, node:child_process) waits for ever for word that it
 * arrived: there is no "disconnect", and the connection stays open with nobody behind it. It is
 * closed here, and not given to another worker: this one may have read of it.
 */
function endOf(process: ChildProcess): Promise<number | string> {
  const lastConnection = connectionsTo(process);
  return new Promise((resolve) => {
    process.once("close", (code, signal) => {
      lastConnection()?.close();
      resolve(signal ?? code ?? 0);
    });
  });
}

type Connection = { close(): void };

/**
 * The connection that node:cluster sent last: it sends the next one when this one has arrived, and has
 * closed its own end of it then, which may be closed twice.
 */
function connectionsTo(process: ChildProcess): () => Connection | undefined {
  let last: Connection | undefined;
  const send = process.send as (...args: unknown[]) => boolean;
  process.send = (...args: unknown[]) => {
    // Where there is none, a callback may be in its place.
    if (typeof args[1] === "object") last = args[1] as Connection;
    return send.apply(process, args);
  };
  return () => last;
}

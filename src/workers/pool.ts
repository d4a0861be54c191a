import cluster from "node:cluster";
import { once } from "node:events";
import { closeSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import type { MetricFamily } from "../admin/operations.ts";
import type { Config } from "../config/schema.ts";
import type { Time } from "../lib/clock.ts";
import { entryFile } from "../lib/own-files.ts";
import { RestartPause } from "../lib/restart-pause.ts";
import { boardBytes, openBoardFile } from "../lib/shared-board.ts";
import type { Logger } from "../telemetry/log.ts";
import { countedOf, ofWorker, sumFamilies } from "./metric-sums.ts";
import { workerConfig } from "./worker-config.ts";
import { type WorkerEnd, WorkerHandle } from "./worker-handle.ts";

/** After a worker's connections have ended: the credits and the usage are written. */
const WRITING_MS = 5000;

type Place = {
  readonly number: number;
  readonly pause: RestartPause;
  worker: WorkerHandle | undefined;
  stopRestart: (() => void) | undefined;
};

/**
 * `server.workers` processes on one port, each replaced when it ends. node:cluster accepts the
 * connections in this process and deals them out in turn: it costs 0.1 ms a connection more than
 * SO_REUSEPORT, but long connections are spread evenly, a worker that hangs gets none, and a port
 * that another program has is found out.
 */
export class WorkerPool {
  readonly #config: Config;
  readonly #log: Logger;
  readonly #time: Time;
  readonly #places: readonly Place[];
  #departed: readonly MetricFamily[] = [];
  #port: number | undefined;
  /** The file in which workers tell each other of heads. */
  #board: number | undefined;
  #isStopping = false;

  constructor(config: Config, { log, time }: { readonly log: Logger; readonly time: Time }) {
    this.#time = time;
    this.#config = config;
    this.#log = log;
    this.#places = Array.from({ length: config.server.workers }, (_, index) => {
      const pause = new RestartPause();
      return { number: index + 1, pause, worker: undefined, stopRestart: undefined };
    });
  }

  /**
   * Resolves to the port when all serve.
   * @throws WorkerStartError where one cannot, the system's error where the port cannot be opened
   */
  async start(): Promise<number> {
    const { host, port } = this.#config.server;
    await tryPort(host, port);
    cluster.schedulingPolicy = cluster.SCHED_RR;
    const file = entryFile("workers/entry");
    // JSON has no NaN, which some metrics are.
    const exec = fileURLToPath(file);
    cluster.setupPrimary({ exec, args: [], serialization: "advanced", stdio: this.#stdio() });
    try {
      const [taken = port] = await Promise.all(this.#places.map((place) => this.#begin(place)));
      this.#port = taken;
      return taken;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** The files that workers inherit: `BOARD_FD` is the last of them. */
  #stdio(): (number | "inherit" | "ipc")[] {
    const { networks, server } = this.#config;
    this.#board = openBoardFile(networks.length * boardBytes(server.workers));
    return ["inherit", "inherit", "inherit", "ipc", this.#board];
  }

  /** Each worker's number, and its process where it serves. */
  get workers(): readonly (readonly [number: number, worker: WorkerHandle | undefined])[] {
    return this.#places.map(({ number, worker }) => [
      number,
      worker?.isServing === true ? worker : undefined,
    ]);
  }

  /** The counts of all workers that ever ran, and the gauges of those that run. */
  get families(): readonly MetricFamily[] {
    const running = this.#places.flatMap(({ number, worker }) =>
      ofWorker(String(number), worker?.families ?? []),
    );
    return sumFamilies([...this.#departed, ...running]);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const withinMs = this.#config.server.shutdownTimeoutMs + WRITING_MS;
    const stopped = this.#places.map(async ({ worker, number, stopRestart }) => {
      stopRestart?.();
      if ((await worker?.stop(withinMs)) !== "killed") return;
      this.#log.warn({ worker: number }, "the worker did not stop in time and was killed");
    });
    await Promise.all(stopped);
    if (this.#board !== undefined) closeSync(this.#board);
    this.#board = undefined;
  }

  async #begin(place: Place): Promise<number> {
    const { number } = place;
    const config = workerConfig(this.#config, this.#portToAsk());
    const worker = new WorkerHandle(cluster.fork(), { kind: "start", number, config }, this.#time);
    place.worker = worker;
    void worker.ended.then((end) => this.#ended(place, worker, end));
    const port = await worker.serving;
    this.#log.info({ worker: number, pid: worker.pid }, "worker serves");
    return port;
  }

  /**
   * node:cluster knows a shared port by what was asked for. Workers that follow ask for what those
   * that serve asked for (0 perhaps), and where none serves, for the number that clients know.
   */
  #portToAsk(): number {
    const [serving] = this.workers.flatMap(([, worker]) => worker ?? []);
    return serving?.askedPort ?? this.#port ?? this.#config.server.port;
  }

  #ended(place: Place, worker: WorkerHandle, { cause, servedMs }: WorkerEnd): void {
    const { number } = place;
    const counted = countedOf(ofWorker(String(number), worker.families));
    this.#departed = sumFamilies([...this.#departed, ...counted]);
    place.worker = undefined;
    if (this.#isStopping || this.#port === undefined) return;
    const pauseMs = place.pause.after(servedMs);
    this.#log.warn({ worker: number, pid: worker.pid, cause, pauseMs }, "worker ended");
    place.stopRestart = this.#time.after(pauseMs, () => void this.#replace(place));
  }

  async #replace(place: Place): Promise<void> {
    try {
      const port = await this.#begin(place);
      // All others ended while it started, and the port 0 that it had asked for became another.
      if (port !== this.#port) place.worker?.kill();
    } catch (error) {
      this.#log.error({ worker: place.number, cause: String(error) }, "worker did not start");
    }
  }
}

/** Says at once, and in the system's words, that a port cannot be opened. */
async function tryPort(host: string, port: number): Promise<void> {
  const probe = createServer();
  probe.listen(port, host);
  await once(probe, "listening");
  probe.close();
  await once(probe, "close");
}

import cluster from "node:cluster";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import type { MetricFamily } from "../admin/operations.ts";
import type { Fault } from "../config/faults.ts";
import type { Config } from "../config/schema.ts";
import type { Time } from "../lib/clock.ts";
import { entryFile } from "../lib/own-files.ts";
import { RestartPause } from "../lib/restart-pause.ts";
import type { PreparedReload } from "../reload/reloads.ts";
import type { Logger } from "../telemetry/log.ts";
import { BoardPlaces, SPARE } from "./board-places.ts";
import type { Start } from "./messages.ts";
import { countedOf, ofWorker, sumFamilies } from "./metric-sums.ts";
import { workerConfig } from "./worker-config.ts";
import { type WorkerEnd, WorkerHandle } from "./worker-handle.ts";

/** After a worker's connections have ended: the credits and the usage are written. */
const WRITING_MS = 5000;

/** A worker has so long to build networks, which wait for their nodes, and to put them in their places. */
const PREPARE_MS = 20_000;
const TOO_MANY_NETWORKS: Fault = {
  path: "networks",
  line: 0,
  message: `workers have room for ${SPARE} more networks than at the start; start the gateway again for more`,
};

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
  #config: Config;
  readonly #log: Logger;
  readonly #time: Time;
  readonly #places: readonly Place[];
  #departed: readonly MetricFamily[] = [];
  #port: number | undefined;
  #boards: BoardPlaces | undefined;
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
    this.#boards = new BoardPlaces(namesOf(networks), server.workers);
    return ["inherit", "inherit", "inherit", "ipc", this.#boards.file];
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
    const stopped = this.#places.map(async ({ worker, number, stopRestart }) => {
      stopRestart?.();
      if ((await worker?.stop(this.#stopMs)) !== "killed") return;
      this.#log.warn({ worker: number }, "the worker did not stop in time and was killed");
    });
    await Promise.all(stopped);
    this.#boards?.close();
    this.#boards = undefined;
  }

  get #stopMs(): number {
    return this.#config.server.shutdownTimeoutMs + WRITING_MS;
  }

  /** Switches all workers that serve to another configuration, or none. */
  async prepare(config: Config): Promise<PreparedReload | readonly Fault[]> {
    const own = workerConfig(config, config.server.port);
    const boards = this.#boards?.prepare(namesOf(config.networks));
    if (boards === undefined) return [TOO_MANY_NETWORKS];
    const workers = this.#serving;
    const abort = async () => {
      await Promise.all(workers.map((each) => each.ask({ kind: "abort" }, PREPARE_MS)));
    };
    const question = { kind: "prepare", config: own, boards } as const;
    const answers = await Promise.all(workers.map((each) => each.ask(question, PREPARE_MS)));
    const faults = answers.flatMap((answer, index) => {
      const worker = workers[index];
      if (answer !== undefined || worker?.isServing !== true) return answer ?? [];
      return { path: "", line: 0, message: `worker ${worker.number} did not answer` };
    });
    if (faults.length > 0) {
      await abort();
      // Each worker says the same of the same node.
      return faults.filter((one, index) => faults.findIndex(isLike(one)) === index);
    }
    const commit = async () => {
      this.#config = config;
      if (this.#boards !== undefined) this.#boards.indexes = boards;
      const others = this.#serving.filter((each) => !workers.includes(each));
      // They began in the meantime, with the old one. Others take their places.
      for (const each of others) void each.stop(this.#stopMs);
      const done = workers.map(async (each) => {
        if ((await each.ask({ kind: "commit" }, PREPARE_MS)) === undefined) each.kill();
      });
      await Promise.all(done);
    };
    return { commit, abort };
  }

  get config(): Config {
    return this.#config;
  }

  get #serving(): WorkerHandle[] {
    return this.workers.flatMap(([, worker]) => worker ?? []);
  }

  async #begin(place: Place): Promise<number> {
    const { number } = place;
    const begunBy = this.#config;
    const config = workerConfig(begunBy, this.#portToAsk());
    const boards = this.#boards?.indexes ?? {};
    const start: Start = { kind: "start", number, config, boards };
    const worker = new WorkerHandle(cluster.fork(), start, this.#time);
    place.worker = worker;
    void worker.ended.then((end) => this.#ended(place, worker, end));
    const port = await worker.serving;
    this.#log.info({ worker: number, pid: worker.pid }, "worker serves");
    // The configuration was reloaded while it started.
    if (begunBy !== this.#config) void worker.stop(this.#stopMs);
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

const namesOf = (networks: Config["networks"]) => networks.map(({ name }) => name);

const isLike = (one: Fault) => (other: Fault) =>
  one.path === other.path && one.message === other.message;

/** Says at once, and in the system's words, that a port cannot be opened. */
async function tryPort(host: string, port: number): Promise<void> {
  const probe = createServer();
  probe.listen(port, host);
  await once(probe, "listening");
  probe.close();
  await once(probe, "close");
}

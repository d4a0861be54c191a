import { type GatewayParts, startGateway } from "../../app.ts";
import { loadConfig } from "../../config/load.ts";
import type { Config } from "../../config/schema.ts";
import { systemClock } from "../../lib/clock.ts";
import { Reloads } from "../../reload/reloads.ts";
import { openStorage } from "../../storage/open.ts";
import { ignoreSignals } from "../../telemetry/ignored-signals.ts";
import { createLog, type Logger } from "../../telemetry/log.ts";
import { EventLoop } from "../../wire/event-loop.ts";
import { type RunningWorkers, startWorkers } from "../../workers/start-workers.ts";
import { WorkerStartError } from "../../workers/worker-handle.ts";
import { CommandError } from "../output.ts";
import { ConsoleHost } from "./console-process.ts";
import { tellServiceManager } from "./service-manager.ts";
import { stopSignal } from "./stop-signal.ts";

/**
 * `start --config FILE`: the gateway, and the dashboard in a process of its own where it is
 * configured, until SIGTERM or SIGINT.
 * @throws ConfigError, StorageError, CommandError where a worker cannot start, or the system's
 *   error where a port cannot be opened
 */
export async function runStart(file: string): Promise<void> {
  // Whatever it, its workers and the dashboard create is nobody else's to read.
  process.umask(0o077);
  let log: Logger | undefined;
  let reloads: Reloads | undefined;
  ignoreSignals(() => log, { reload: () => void reloads?.request() });
  const config = await loadConfig(file);
  log = createLog({ level: config.log.level, terminal: process.stdout.isTTY });
  const { host, tls, workers } = config.server;
  const started = Promise.withResolvers<RunningWorkers>();
  let dashboard: ConsoleHost | undefined;
  reloads = new Reloads(config, {
    read: () => loadConfig(file),
    prepare: async (next) => (await started.promise).prepare(next),
    applied: (next) => dashboard?.restart(next),
    log,
  });
  const reload = () => (reloads as Reloads).request();
  const gateway = await (workers > 1 ? startShared : startAlone)(config, { log, reload });
  started.resolve(gateway);
  const stopped = stopSignal();
  const networks = config.networks.map(({ name }) => name);
  const processes = workers > 1 ? { workers } : {};
  log.info({ host, port: gateway.port, tls: tls !== undefined, networks, ...processes }, "serving");
  if (gateway.adminPort !== undefined) log.info({ port: gateway.adminPort }, "admin port");
  dashboard = openDashboard(config, gateway, log);
  tellServiceManager("READY=1", log);
  log.info({ signal: await stopped }, "stopping");
  tellServiceManager("STOPPING=1", log);
  await Promise.all([gateway.stop(), dashboard?.stop()]);
  log.info("stopped");
}

/** It logs where it serves. That it cannot keeps nobody from calling. */
function openDashboard(
  config: Config,
  { port, adminPort }: RunningWorkers,
  log: Logger,
): ConsoleHost | undefined {
  if (config.console === undefined) return undefined;
  const host = new ConsoleHost(log, systemClock);
  const ports = { console: config.console.port, gateway: port, admin: adminPort };
  void host.start({ config, ports, printsMail: false, movesOn: false });
  return host;
}

type OwnParts = Pick<GatewayParts, "log" | "reload">;

async function startAlone(config: Config, parts: OwnParts): Promise<RunningWorkers> {
  const { log } = parts;
  const storage = await openStorage(config.storage, { log, waits: true });
  try {
    const loop = new EventLoop(config.server.wire);
    const gateway = await startGateway(config, { ...parts, storage, loop, clock: loop.clock });
    const stop = async () => {
      try {
        await gateway.stop();
      } finally {
        await storage.close();
      }
    };
    return { ...gateway, stop };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function startShared(config: Config, parts: OwnParts): Promise<RunningWorkers> {
  try {
    return await startWorkers(config, parts);
  } catch (error) {
    if (!(error instanceof WorkerStartError)) throw error;
    throw new CommandError(error.message, { cause: error });
  }
}

import { startGateway } from "../app.ts";
import { loadConfig } from "../config/load.ts";
import { systemClock } from "../lib/clock.ts";
import { openStorage } from "../storage/open.ts";
import { createLog } from "../telemetry/log.ts";
import { stopSignal } from "./stop-signal.ts";

/**
 * `start --config FILE`: the gateway until SIGTERM or SIGINT.
 * @throws ConfigError, StorageError, or the system's error where a port cannot be opened
 */
export async function runStart(file: string): Promise<void> {
  const config = await loadConfig(file);
  const log = createLog({ level: config.log.level, terminal: process.stdout.isTTY });
  const storage = await openStorage(config.storage.url);
  try {
    const gateway = await startGateway(config, { storage, log, clock: systemClock });
    const stopped = stopSignal();
    const { host, tls } = config.server;
    const networks = config.networks.map(({ name }) => name);
    log.info({ host, port: gateway.port, tls: tls !== undefined, networks }, "serving");
    if (gateway.adminPort !== undefined) log.info({ port: gateway.adminPort }, "admin port");
    log.info({ signal: await stopped }, "stopping");
    await gateway.stop();
    log.info("stopped");
  } finally {
    await storage.close();
  }
}

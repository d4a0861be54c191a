import { AdminServer } from "../admin/admin-server.ts";
import type { Config } from "../config/schema.ts";
import { systemClock } from "../lib/clock.ts";
import type { Logger } from "../telemetry/log.ts";
import { WorkerPool } from "./pool.ts";
import { PooledOperations } from "./pooled-operations.ts";

export type RunningWorkers = {
  /** The ports that were taken. */
  readonly port: number;
  readonly adminPort: number | undefined;
  readonly stop: () => Promise<void>;
};

/**
 * The gateway in `server.workers` processes; this one serves the admin port alone.
 * @throws WorkerStartError, or the system's error where a port cannot be opened
 */
export async function startWorkers(config: Config, log: Logger): Promise<RunningWorkers> {
  const pool = new WorkerPool(config, { log, time: systemClock });
  const operations = new PooledOperations(config, pool);
  const admin = config.admin && new AdminServer(config.admin, operations);
  const port = await pool.start();
  const stop = async () => {
    await pool.stop();
    await admin?.stop();
  };
  try {
    return { port, adminPort: await admin?.listen(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

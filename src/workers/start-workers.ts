import { AdminServer } from "../admin/admin-server.ts";
import type { GatewayParts } from "../app.ts";
import type { Config } from "../config/schema.ts";
import { systemClock } from "../lib/clock.ts";
import type { PrepareReload } from "../reload/reloads.ts";
import { WorkerPool } from "./pool.ts";
import { PooledOperations } from "./pooled-operations.ts";

export type RunningWorkers = {
  /** The ports that were taken. */
  readonly port: number;
  readonly adminPort: number | undefined;
  readonly prepare: PrepareReload;
  readonly stop: () => Promise<void>;
};

/**
 * The gateway in `server.workers` processes; this one serves the admin port alone.
 * @throws WorkerStartError, or the system's error where a port cannot be opened
 */
export async function startWorkers(
  config: Config,
  { log, reload }: Pick<GatewayParts, "log" | "reload">,
): Promise<RunningWorkers> {
  const pool = new WorkerPool(config, { log, time: systemClock });
  const operations = new PooledOperations(pool, reload);
  const admin = config.admin && new AdminServer(config.admin, operations);
  const port = await pool.start();
  const stop = async () => {
    await pool.stop();
    await admin?.stop();
  };
  try {
    const prepare: PrepareReload = (next) => pool.prepare(next);
    return { port, adminPort: await admin?.listen(), prepare, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

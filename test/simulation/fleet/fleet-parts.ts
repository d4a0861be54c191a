import { execFile } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import type { FleetTally } from "./fleet-schedule.ts";
import type { FleetRun } from "./run-fleet-schedules.ts";

/** Young garbage is most of what a schedule leaves. */
const FLAGS = ["--max-semi-space-size=64"];

/**
 * `runFleetSchedules` in a process of its own, since the tests' own changes to modules take a third longer.
 * @throws where an invariant does not hold, with the seeds
 */
export async function runFleetPart({
  first,
  count,
}: Omit<FleetRun, "storage">): Promise<FleetTally> {
  const file = join(import.meta.dirname, "fleet-part.ts");
  const args = [...FLAGS, file, String(first), String(count)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}

import { openMemory } from "../../../src/storage/memory.ts";
import type { Storage } from "../../../src/storage/store.ts";
import { Violation } from "../violation.ts";
import { FleetSchedule, type FleetTally } from "./fleet-schedule.ts";

const MOST_TOLD = 5;
const LINES_TOLD = 300;

export type FleetRun = {
  readonly first: number;
  readonly count: number;
  /** For each schedule; a storage in memory by itself. */
  readonly storage?: Storage;
};

/**
 * Runs the schedules of all seeds from `first` on.
 * @throws where an invariant does not hold, with the seeds; of one seed alone with what happened
 */
export async function runFleetSchedules({ first, count, storage }: FleetRun): Promise<FleetTally> {
  const sum: FleetTally = { calls: 0, served: 0, refused: 0, kills: 0, databaseFaults: 0 };
  const told: string[] = [];
  const lines: string[] = [];
  const trace = count === 1 ? (line: string) => lines.push(line) : undefined;
  for (let seed = first; seed < first + count && told.length < MOST_TOLD; seed += 1) {
    try {
      const tally = await new FleetSchedule(seed, storage ?? openMemory(), trace).run();
      for (const name of Object.keys(sum) as (keyof FleetTally)[]) sum[name] += tally[name];
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      told.push(error.message);
    }
  }
  if (told.length > 0) throw new Error([...lines.slice(-LINES_TOLD), ...told].join("\n"));
  return sum;
}

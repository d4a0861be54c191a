import { openMemory } from "../../../src/storage/memory.ts";
import type { Storage } from "../../../src/storage/store.ts";
import { runSeeds, type Seeds } from "../run-seeds.ts";
import { FleetSchedule, type FleetTally } from "./fleet-schedule.ts";

export type FleetRun = Seeds & {
  /** For all of them; each has one in memory by itself. */
  readonly storage?: Storage;
};

/** As `runSeeds`, of fleets. */
export const runFleetSchedules = ({ storage, ...seeds }: FleetRun): Promise<FleetTally> =>
  runSeeds(seeds, (seed, trace) => new FleetSchedule(seed, storage ?? openMemory(), trace).run());

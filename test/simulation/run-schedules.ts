import { runSeeds } from "./run-seeds.ts";
import { Schedule, type Tally } from "./schedule.ts";

/** As `runSeeds`, of one gateway and its nodes. */
export const runSchedules = (first: number, count: number): Promise<Tally> =>
  runSeeds({ first, count }, (seed, trace) => new Schedule(seed, trace).run());

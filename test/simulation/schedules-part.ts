import { printSeeds } from "./run-seeds.ts";
import { Schedule } from "./schedule.ts";

await printSeeds((seed) => new Schedule(seed).run());

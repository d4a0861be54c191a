import { openMemory } from "../../../src/storage/memory.ts";
import { printSeeds } from "../run-seeds.ts";
import { FleetSchedule } from "./fleet-schedule.ts";

await printSeeds((seed) => new FleetSchedule(seed, openMemory()).run());

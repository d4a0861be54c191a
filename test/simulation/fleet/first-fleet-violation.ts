import { openMemory } from "../../../src/storage/memory.ts";
import { printFirstViolation } from "../run-seeds.ts";
import { FleetSchedule } from "./fleet-schedule.ts";

await printFirstViolation((seed) => new FleetSchedule(seed, openMemory()).run());

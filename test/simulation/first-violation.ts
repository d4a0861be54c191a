import { printFirstViolation } from "./run-seeds.ts";
import { Schedule } from "./schedule.ts";

await printFirstViolation((seed) => new Schedule(seed).run());

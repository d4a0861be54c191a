import process from "node:process";
import { openMemory } from "../../../src/storage/memory.ts";
import { Violation } from "../violation.ts";
import { FleetSchedule } from "./fleet-schedule.ts";

/** A program: prints the first seed, of so many from 1 on, whose schedule fails; nothing where none does. */
const most = Number(process.argv[2]);
for (let seed = 1; seed <= most; seed += 1) {
  try {
    await new FleetSchedule(seed, openMemory()).run();
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    process.stdout.write(String(seed));
    break;
  }
}
process.exit(0);

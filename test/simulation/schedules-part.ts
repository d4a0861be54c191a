import process from "node:process";
import { runSchedules } from "./run-schedules.ts";

/** A program: runs the schedules of so many seeds, from one on; prints what took place, and fails where one does. */
const [first = 1, count = 1] = process.argv.slice(2).map(Number);
process.stdout.write(JSON.stringify(await runSchedules(first, count)));
process.exit(0);

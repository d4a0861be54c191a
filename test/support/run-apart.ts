import { execFile } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../..");
/**
 * Young garbage is most of what a simulation leaves, and what a simulated database fails with is made for nobody who
 * looks where: these take a tenth of a simulation's time. The engine's own threads would take as much from what runs
 * on the other core.
 */
const FLAGS = ["--max-semi-space-size=64", "--stack-trace-limit=0", "--single-threaded"];

/**
 * Runs a program of the tests, whose path begins at the root, in a process of its own: there simulations take a third
 * less, since nothing stands between their modules. Returns what it printed, which is JSON.
 * @throws with what it wrote to its standard error, where it fails
 */
export async function runApart<Result>(
  program: string,
  ...args: readonly (number | string)[]
): Promise<Result> {
  const command = [...FLAGS, join(ROOT, program), ...args.map(String)];
  const { stdout } = await promisify(execFile)(process.execPath, command);
  return JSON.parse(stdout);
}

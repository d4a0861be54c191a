import process from "node:process";
import { runApart } from "../support/run-apart.ts";
import type { Seeds } from "./run-seeds.ts";

/** Processes: cores of the machine. */
const AT_ONCE = 2;

export type Parts = Seeds & {
  /** Seeds that one process runs. */
  readonly part: number;
};

/**
 * Runs a program that takes its first seed and how many there are, as `printSeeds` does, in one process for each part.
 * A part that fails is told of at once, and the others go on: a long run names all seeds that it finds.
 * @throws with what each failed part told
 */
export async function runParts<Tally>(program: string, seeds: Parts): Promise<Tally[]> {
  const end = seeds.first + seeds.count;
  const tallies: Tally[] = [];
  const told: string[] = [];
  let next = seeds.first;
  const work = async () => {
    while (next < end) {
      const first = next;
      next += seeds.part;
      try {
        tallies.push(await runApart<Tally>(program, first, Math.min(seeds.part, end - first)));
      } catch (error) {
        const { message } = error as Error;
        told.push(message);
        process.stderr.write(`${message}\n`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (told.length > 0) throw new Error(told.join("\n"));
  return tallies;
}

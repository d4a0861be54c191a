import process from "node:process";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Violation } from "./violation.ts";

const MOST_TOLD = 5;
const LINES_TOLD = 300;

export type Trace = (line: string) => void;
export type Seeds = { readonly first: number; readonly count: number };
/** Runs the schedule of a seed, and counts what happened in it. @throws Violation */
type Run<Tally> = (seed: number, trace?: Trace) => Promise<Tally>;

/**
 * Runs the schedules of all seeds from `first` on. Returns the sums of what happened.
 * @throws where an invariant does not hold, with the seeds; of one seed alone with what happened
 */
export async function runSeeds<Name extends string>(
  { first, count }: Seeds,
  run: Run<Readonly<Record<Name, number>>>,
): Promise<Record<Name, number>> {
  const sum: Partial<Record<Name, number>> = {};
  const violations: { readonly seed: number; readonly error: Violation }[] = [];
  const lines: string[] = [];
  const trace = count === 1 ? (line: string) => lines.push(line) : undefined;
  for (let seed = first; seed < first + count && violations.length < MOST_TOLD; seed += 1) {
    try {
      const tally = await run(seed, trace);
      for (const name of Object.keys(tally) as Name[]) sum[name] = (sum[name] ?? 0) + tally[name];
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      violations.push({ seed, error });
    }
    // Nothing in a schedule waits for the event loop, and what its weak references named lives until then.
    await nextTurn();
  }
  if (violations.length === 0) return sum as Record<Name, number>;
  const told = violations.map(({ seed, error }) => `seed ${seed}: ${error.message}`);
  throw new Error([...lines.slice(-LINES_TOLD), ...told].join("\n"), {
    cause: violations[0]?.error,
  });
}

/** For programs: prints what happened with the seeds that their arguments name, as JSON. */
export async function printSeeds<Name extends string>(
  run: Run<Readonly<Record<Name, number>>>,
): Promise<never> {
  const [first = 1, count = 1] = process.argv.slice(2).map(Number);
  process.stdout.write(JSON.stringify(await runSeeds({ first, count }, run)));
  process.exit(0);
}

/** For programs: prints the first seed, of so many from 1 on, whose schedule fails; nothing where none does. */
export async function printFirstViolation(run: Run<unknown>): Promise<never> {
  const most = Number(process.argv[2]);
  for (let seed = 1; seed <= most; seed += 1) {
    try {
      await run(seed);
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      process.stdout.write(String(seed));
      break;
    }
    await nextTurn();
  }
  process.exit(0);
}

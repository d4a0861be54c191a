import { Schedule, type Tally } from "./schedule.ts";
import { Violation } from "./violation.ts";

const MOST_TOLD = 5;
const LINES_TOLD = 200;

/**
 * Runs the schedules of all seeds from `first` on.
 * @throws where an invariant does not hold, with the seeds; of one seed alone with what happened
 */
export async function runSchedules(first: number, count: number): Promise<Tally> {
  const sum: Tally = { calls: 0, errors: 0, partnerCalls: 0, faults: 0 };
  const violations: Violation[] = [];
  const lines: string[] = [];
  const trace = count === 1 ? (line: string) => lines.push(line) : undefined;
  for (let seed = first; seed < first + count; seed += 1) {
    try {
      const tally = await new Schedule(seed, trace).run();
      sum.calls += tally.calls;
      sum.errors += tally.errors;
      sum.partnerCalls += tally.partnerCalls;
      sum.faults += tally.faults;
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      violations.push(error);
      if (violations.length >= MOST_TOLD) break;
    }
  }
  if (violations.length > 0) {
    const told = violations.map(({ message }) => message);
    throw new Error([...lines.slice(-LINES_TOLD), ...told].join("\n"), { cause: violations[0] });
  }
  return sum;
}

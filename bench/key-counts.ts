import { Bench, type BenchOptions } from "./bench.ts";
import type { Cores } from "./cpu.ts";
import type { Faults } from "./generator.ts";
import { rowsOf, shown } from "./report.ts";
import { scenarioOf } from "./scenarios.ts";

export type KeyCountsOptions = Pick<BenchOptions, "program" | "rounds" | "seconds" | "settleMs"> & {
  /** One run for each, the first of which the others are held against. */
  readonly counts: readonly number[];
  readonly cores: Cores | null;
};

export type KeyCount = {
  readonly keys: number;
  readonly cpuUsPerCall: number | null;
  /** Resident memory at the end. */
  readonly bytes: number | null;
  readonly faults: Faults;
};

/** The most that a call may cost with so many keys, in times of one key's. */
const TARGETS = new Map([
  [100_000, 1.5],
  [1_000_000, 2],
]);

/** The same calls on the same networks with more and more keys, each of which has called before; `stop` ends it early. */
export class KeyCountsRun {
  readonly #options: KeyCountsOptions;
  #bench: Bench | undefined;

  constructor(options: KeyCountsOptions) {
    this.#options = options;
  }

  async run(): Promise<KeyCount[]> {
    const { counts, ...rest } = this.#options;
    const found: KeyCount[] = [];
    for (const keys of counts) {
      const scenarios = [scenarioOf("networks-8")];
      const bench = new Bench({
        ...rest,
        ...{ scenarios, keys, subjects: ["tollgate"], maxBodies: 200_000 },
      });
      this.#bench = bench;
      const [row] = rowsOf(await bench.run());
      await bench.stop();
      if (row === undefined) throw new Error("networks-8 was not measured");
      const { cpuUsPerCall, faults } = row;
      found.push({ keys, cpuUsPerCall, bytes: bench.memory.afterBytes, faults });
    }
    return found;
  }

  async stop(): Promise<void> {
    await this.#bench?.stop();
  }
}

/** As text for a terminal. */
export function keyCountsTable(counts: readonly KeyCount[]): string {
  const one = counts[0]?.cpuUsPerCall ?? null;
  const lines = counts.map(({ keys, cpuUsPerCall, bytes, faults }) => {
    const ratio = one === null || cpuUsPerCall === null ? null : cpuUsPerCall / one;
    const most = TARGETS.get(keys);
    const isMet = most === undefined || (ratio !== null && ratio <= most);
    const target = most === undefined ? "" : ` (at most ${most}: ${isMet ? "met" : "missed"})`;
    const fault = faults.count === 0 ? "" : `, ${faults.count} faults: ${faults.first}`;
    const megabytes = bytes === null ? null : bytes / 1e6;
    return `${keys} keys: ${shown(cpuUsPerCall, 1)} us/call, ${shown(ratio, 2)} of one key's${target}, ${shown(megabytes, 0)} MB resident${fault}\n`;
  });
  return lines.join("");
}

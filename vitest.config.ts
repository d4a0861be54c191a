import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes 25 seconds and more, the longest first. */
const LONGEST = [
  "test/simulation/fleet/fleet-schedules.long.ts",
  "test/simulation/schedules.long.ts",
  "test/simulation/fleet/fleet-schedules.test.ts",
  "test/dashboard/pages.test.ts",
  "test/simulation/schedules.test.ts",
  "test/credits/clock-jumps.test.ts",
  "test/console/process.test.ts",
  "test/hostile/doors.test.ts",
  "test/credits/two-processes.test.ts",
  "src/storage/sqlite/client.test.ts",
  "test/store-faults/thread-death-gateway.long.ts",
  "test/recordings/corpus.test.ts",
  "test/docs/snippets.test.ts",
  "test/process/commands.test.ts",
  "test/faults/each-fault.test.ts",
  "test/hostile/memory-budget.test.ts",
  "test/dashboard/people.test.ts",
  "test/hostile/waiting-calls.test.ts",
  "test/hostile/trickle.test.ts",
  "test/faults/real-nodes.test.ts",
  "test/credits/ledger-schedules.test.ts",
  "test/console/take-over/orders.test.ts",
  "test/envelope/fuzz.test.ts",
];

/**
 * By default the largest file begins first, and the longest was among the smallest: for its last minutes
 * a run had one worker at work.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => place(a) - place(b));
  }
}

function place({ moduleId }: TestSpecification): number {
  const found = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}`));
  return found === -1 ? LONGEST.length : found;
}

/** `long`: what takes minutes; run by `npm run test:long` alone. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    globalSetup: "test/support/run-folder.ts",
    setupFiles: "test/support/record-answers.ts",
    projects: [
      "vitest.unit.config.ts",
      {
        extends: true,
        test: {
          name: "long",
          include: ["{test,bench}/**/*.long.ts"],
          testTimeout: 3_600_000,
          expect: { poll: { timeout: 10_000 } },
        },
      },
    ],
  },
});

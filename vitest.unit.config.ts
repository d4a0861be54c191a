import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const LAST = "test/secrets/whole-run.test.ts";

/** What `npm test` runs. `last` begins when all others have ended: it searches what they wrote. */
export default defineConfig({
  test: {
    name: "unit",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: "test/support/record-answers.ts",
    // A second, which is the default, is short for a page while another browser has the processor.
    expect: { poll: { timeout: 10_000 } },
    projects: [
      {
        test: {
          name: "tests",
          // Most tests wait for processes and sockets: two at a time take half as long, also on two cores.
          maxWorkers: Math.max(2, availableParallelism() - 1),
          include: ["{src,test,bench,web/src}/**/*.test.ts"],
          exclude: ["test/outside/node_modules/**", LAST],
          // With the default of 0 these come last where the machine has few cores.
          sequence: { groupOrder: 1 },
        },
      },
      { test: { name: "last", include: [LAST], sequence: { groupOrder: 2 } } },
    ],
  },
});

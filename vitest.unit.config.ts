import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

const LAST = "test/secrets/whole-run.test.ts";
/** Folders whose files are short, and leave nothing behind in their process. */
const SHORT =
  "cache,clients,console,docs,envelope,faults,fuzz,http,package,recordings,refusals,routing,slot,storage,subscriptions,tls,upgrade,websocket,wire";
const SHARED = ["bench/**/*.test.ts", "test/*.test.ts", `test/{${SHORT}}/**/*.test.ts`];
// Most tests wait for processes and sockets: of two at a time, two cores have a quarter of their time to spare.
const maxWorkers = Math.max(3, availableParallelism() - 1);

/** What `npm test` runs. `last` begins when all others have ended: it searches what they wrote. */
export default defineConfig({
  test: {
    name: "unit",
    // Young garbage is most of what tests leave: in fewer, larger collections simulations take a tenth less.
    execArgv: ["--max-semi-space-size=64"],
    // Where the program's own processes keep theirs: without it each thread that a test starts strips the
    // types of its files again, which is half of what the tests of a store cost.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache") },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: "test/support/record-answers.ts",
    // A second, which is the default, is short for a page while another browser has the processor.
    expect: { poll: { timeout: 10_000 } },
    projects: [
      {
        test: {
          name: "parts",
          maxWorkers,
          include: ["{src,web/src}/**/*.test.ts"],
          // A process of its own takes longer to start than most of these files to run.
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "shared",
          maxWorkers,
          include: SHARED,
          // A process of its own takes 1.2 s to start.
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "whole",
          maxWorkers,
          include: ["test/**/*.test.ts"],
          exclude: ["test/outside/node_modules/**", LAST, ...SHARED],
          // With the default of 0 these come last where the machine has few cores.
          sequence: { groupOrder: 1 },
        },
      },
      { test: { name: "last", include: [LAST], sequence: { groupOrder: 2 } } },
    ],
  },
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { Simulation } from "./simulation.ts";
import { checkSeveralProcesses, phases, plan, play } from "./wishes.ts";

test("one process serves exactly what a bucket of one second lets through, however slow the store is", async () => {
  await fc.assert(
    fc.asyncProperty(
      phases,
      fc.constantFrom(300, 500, 2000, 8000),
      fc.record({ latencyMs: fc.constantFrom(0, 20, 300, 1500), isRemote: fc.boolean() }),
      async (wish, perSecond, { latencyMs, isRemote }) => {
        const world = new Simulation({ plan: plan(perSecond) }, ["plan"], { isRemote });
        let [level, lastMs] = [perSecond, 0];
        for (const { atMs, credits } of await play(world, [wish], { latencyMs })) {
          level = Math.min(perSecond, level + ((atMs - lastMs) * perSecond) / 1000) - credits;
          lastMs = atMs;
          expect(level).toBeGreaterThan(-1e-6);
        }
      },
    ),
    { numRuns: 100 },
  );
}, 60_000);

test(
  "several processes serve at most a tenth above the throughput in any ten seconds",
  () => checkSeveralProcesses(150),
  60_000,
);

test("so they do over a network", () => checkSeveralProcesses(150, true), 60_000);

test.each([
  [2, false],
  [3, false],
  [4, false],
  [2, true],
  [4, true],
])(
  "%i processes that are pressed for long get nearly all of the throughput, over a network: %s",
  async (count, isRemote) => {
    const world = new Simulation({ plan: plan(4000) }, ["plan"], { count, isRemote });
    const wishes = Array.from({ length: count }, () => [{ forMs: 30_000, share: 2 }]);
    const releases = await play(world, wishes, { latencyMs: 20 });
    const served = releases.reduce((sum, { credits }) => sum + credits, 0);
    expect(served / 30 / 4000).toBeGreaterThan(0.94);
  },
  30_000,
);

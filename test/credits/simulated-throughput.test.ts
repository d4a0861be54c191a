import fc from "fast-check";
import { expect, test } from "vitest";
import { Simulation } from "./simulation.ts";
import { checkSeveralProcesses, phases, plan, play } from "./wishes.ts";

test("one process serves exactly what a bucket of one second lets through, however slow the store is", async () => {
  await fc.assert(
    fc.asyncProperty(
      phases,
      fc.constantFrom(300, 500, 2000, 8000),
      fc.constantFrom(0, 20, 300, 1500),
      async (wish, perSecond, latencyMs) => {
        const world = new Simulation({ plan: plan(perSecond) }, ["plan"]);
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

test("several processes that are pressed for long get nearly all of the throughput", async () => {
  for (const count of [2, 3, 4]) {
    const world = new Simulation({ plan: plan(4000) }, ["plan"], count);
    const wishes = Array.from({ length: count }, () => [{ forMs: 30_000, share: 2 }]);
    const releases = await play(world, wishes, { latencyMs: 20 });
    const served = releases.reduce((sum, { credits }) => sum + credits, 0);
    expect(served / 30 / 4000).toBeGreaterThan(0.94);
  }
}, 30_000);

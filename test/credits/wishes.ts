import fc from "fast-check";
import { expect } from "vitest";
import type { PlanConfig } from "../../src/config/plans.ts";
import { Simulation, turn } from "./simulation.ts";

const PRICES = [5, 80, 80, 80, 255, 300];
const STEP_MS = 20;
const WINDOW_MS = 10_000;

/** What clients want of one process for a while, as a share of the plan's throughput. */
type Phase = { readonly forMs: number; readonly share: number };
type Release = { readonly atMs: number; readonly credits: number };

export const phases = fc.array(
  fc.record({
    forMs: fc.constantFrom(200, 500, 1000, 1100, 2000, 3000, 5000),
    share: fc.constantFrom(0, 0, 0.05, 0.3, 0.6, 1.2, 3),
  }),
  { minLength: 8, maxLength: 20 },
);

export const plan = (creditsPerSecond: number): PlanConfig => ({
  dailyCredits: 10_000_000_000,
  creditsPerSecond,
  failover: false,
});

/** Plays what clients want of each process; the store answers after `latencyMs`. */
export async function play(
  world: Simulation,
  wishes: readonly (readonly Phase[])[],
  { latencyMs, totalMs = 30_000 }: { readonly latencyMs: number; readonly totalMs?: number },
): Promise<readonly Release[]> {
  const releases: Release[] = [];
  const [account] = world.accounts;
  if (account === undefined) return releases;
  world.onRelease = (_, credits) => releases.push({ atMs: world.time.monotonicMs, credits });
  const debts = wishes.map(() => 0);
  const sentAt = new WeakMap<object, number>();
  world.mode = "manual";
  for (let atMs = 0; atMs < totalMs; atMs += STEP_MS) {
    for (const [index, process] of world.processes.entries()) {
      const share = shareAt(wishes[index] ?? [], atMs);
      debts[index] = (debts[index] ?? 0) + share * world.perSecond(account) * (STEP_MS / 1000);
      for (let call = 0; (debts[index] ?? 0) > 0; call += 1) {
        const credits = PRICES[(atMs / STEP_MS + call) % PRICES.length] ?? 80;
        debts[index] = (debts[index] ?? 0) - credits;
        world.call(process, account, { credits });
      }
      if (process.calls.length > 50)
        while (process.calls.length > 0) world.settle(process, 0, true);
      for (const statement of process.store.statements) {
        const since = sentAt.get(statement) ?? atMs;
        sentAt.set(statement, since);
        if (atMs - since < latencyMs) continue;
        await world.proceed(process, statement);
        await world.proceed(process, statement);
      }
    }
    await turn();
    await world.pass(STEP_MS);
  }
  world.check();
  return releases;
}

function shareAt(wishes: readonly Phase[], atMs: number): number {
  let endMs = 0;
  for (const { forMs, share } of wishes) {
    endMs += forMs;
    if (atMs < endMs) return share;
  }
  return 0;
}

function mostIn(windowMs: number, releases: readonly Release[]): number {
  let [most, sum, first] = [0, 0, 0];
  for (const { atMs, credits } of releases) {
    sum += credits;
    for (; (releases[first]?.atMs ?? atMs) <= atMs - windowMs; first += 1) {
      sum -= releases[first]?.credits ?? 0;
    }
    most = Math.max(most, sum);
  }
  return most;
}

const wish = (...phases: readonly [number, number][]): Phase[] =>
  phases.map(([forMs, share]) => ({ forMs, share }));

/** What random wishes meet seldom: the moments at which a process joins, and at which one leaves. */
const HARD_CASES: [Phase[][], number, number][] = [500, 2000, 8000].flatMap((perSecond) => [
  [[wish([5000, 0.05], [9000, 3]), wish([5000, 0], [9000, 3])], perSecond, 0],
  [[wish([12_000, 3]), wish([6500, 0], [1000, 3])], perSecond, 0],
  [[wish([3500, 0], [9000, 3]), wish([3500, 0.1], [3000, 3])], perSecond, 20],
  [[wish([6000, 0.3], [9000, 3]), wish([2000, 0], [7000, 3]), wish([9000, 0.3])], perSecond, 60],
]);

/** Rejects where several processes serve more than a tenth above the throughput in any ten seconds. */
export async function checkSeveralProcesses(numRuns: number, isRemote = false): Promise<void> {
  let mostShare = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(phases, { minLength: 2, maxLength: 4 }),
      fc.constantFrom(500, 2000, 8000, ...(isRemote ? [40_000] : [])),
      fc.constantFrom(0, 20, 60),
      async (wishes, perSecond, latencyMs) => {
        const world = new Simulation({ plan: plan(perSecond) }, ["plan"], {
          count: wishes.length,
          isRemote,
        });
        const releases = await play(world, wishes, { latencyMs });
        const share = mostIn(WINDOW_MS, releases) / (perSecond * 10);
        mostShare = Math.max(mostShare, share);
        expect(share).toBeLessThanOrEqual(1.1);
      },
    ),
    { numRuns, examples: HARD_CASES },
  );
  // The processes did press against it.
  expect(mostShare).toBeGreaterThan(0.95);
}

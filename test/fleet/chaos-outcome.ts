import { expect } from "vitest";
import type { Chaos } from "./chaos.ts";

/** docs/credits.md: the most that is open of an owner in a process, beside the calls in the air. */
const BOUND = 4000;
const AGAIN_WITHIN_MS = 2000;

/** Nobody is served more than the balance; what is charged and was not served is within what kills cost. */
export function expectKept({ accounts, servedAgainMs, odd, kills, falseAlarms }: Chaos): void {
  for (const { limit, used, served, doubtful } of accounts) {
    expect(served).toBeLessThanOrEqual(limit);
    expect(used).toBeLessThanOrEqual(limit);
    expect(used).toBeGreaterThanOrEqual(served);
    expect(used - served).toBeLessThanOrEqual(doubtful + kills * BOUND);
  }
  expect(accounts.reduce((sum, { served }) => sum + served, 0)).toBeGreaterThan(0);
  expect(Math.max(...servedAgainMs)).toBeLessThan(AGAIN_WITHIN_MS);
  expect(odd).toEqual(new Set());
  expect(falseAlarms).toBe(0);
}

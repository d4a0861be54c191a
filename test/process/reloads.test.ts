import { expect, test } from "vitest";
import { runReloads } from "./reload-run.ts";

const RELOADS = 60;

test.each([1, 2])(
  "%d workers are reloaded 60 times, with good and bad files: no call fails, no socket closes, each head is told once",
  async (workers) => {
    const run = await runReloads(workers, RELOADS);
    expect(run.faults).toEqual([]);
    expect(run.refused).toBe(RELOADS / 5);
    expect(run.openSockets).toBe(4);
    expect(run.heads.every(({ told, wrong }) => told > 10 && wrong === 0)).toBe(true);
    expect(run.calls).toBeGreaterThan(1000);
  },
);

import { expect, test } from "vitest";
import { runReloads } from "./reload-run.ts";

const RELOADS = 2000;
/** Of what stands after half of the reloads: by then the heap has its size, with networks that were replaced seconds ago. */
const MOST_GROWTH = 1.15;

test.each([1, 2])(
  "%d workers are reloaded 2,000 times: no call fails, no socket closes, each head is told once, and memory stays",
  {
    timeout: 600_000,
  },
  async (workers) => {
    const run = await runReloads(workers, RELOADS);
    process.stdout.write(`${JSON.stringify({ ...run, faults: run.faults.length })}\n`);
    expect(run.faults).toEqual([]);
    expect(run.openSockets).toBe(4);
    expect(run.heads.every(({ told, wrong }) => told > 100 && wrong === 0)).toBe(true);
    const [half = 0, last = 0] = [run.memory[4], run.memory.at(-1)];
    expect(last / half).toBeLessThan(MOST_GROWTH);
  },
);

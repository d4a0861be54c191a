import { expect, test } from "vitest";
import { runReloads } from "./reload-run.ts";

const RELOADS = 1000;
/** Of what stands after a third of the reloads: networks that were replaced are still there for some seconds. */
const MOST_GROWTH = 1.25;

test.each([1, 2])(
  "%d workers are reloaded 1,000 times: no call fails, no socket closes, each head is told once, and memory stays",
  {
    timeout: 600_000,
  },
  async (workers) => {
    const run = await runReloads(workers, RELOADS);
    process.stdout.write(`${JSON.stringify({ ...run, faults: run.faults.length })}\n`);
    expect(run.faults).toEqual([]);
    expect(run.openSockets).toBe(4);
    expect(run.heads.every(({ told, wrong }) => told > 100 && wrong === 0)).toBe(true);
    const [third = 0, last = 0] = [run.memory[2], run.memory.at(-1)];
    expect(last / third).toBeLessThan(MOST_GROWTH);
  },
);

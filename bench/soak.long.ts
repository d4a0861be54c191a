import { afterEach, expect, test } from "vitest";
import { PROGRAM } from "../test/support/program.ts";
import { SoakRun } from "./soak-run.ts";

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

test("a short soak answers every kind, charges what it served, and looks into the program", async () => {
  const soak = new SoakRun({
    ...{ program: PROGRAM, seconds: 1, share: 0.2, cores: null },
    ...{ intervalSeconds: 1, saturateSeconds: 1 },
  });
  ends.push(() => soak.stop());
  const found = await soak.run({ onCapacity: () => undefined, onInterval: () => undefined });
  expect(found.firstFault).toBeNull();
  expect(found.connections).toBeGreaterThan(88);
  const { ledger, served, before, answered, left } = found.charges;
  expect(ledger).toBe(served);
  expect(served - before).toBeGreaterThanOrEqual(answered);
  expect(served - before).toBeLessThanOrEqual(answered + left);
  expect(answered).toBeGreaterThan(1000);
  const [only] = found.intervals;
  expect(only?.heap.usedBytes).toBeGreaterThan(10_000_000);
  expect(only?.delay.maxMs).toBeGreaterThan(0);
}, 120_000);

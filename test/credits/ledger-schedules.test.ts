import fc from "fast-check";
import { test } from "vitest";
import { runSchedule } from "./schedules.ts";

const number = fc.nat({ max: 2 ** 31 - 1 });

test("no schedule of clients, processes, crashes, midnights, clock jumps and store failures breaks the ledger", async () => {
  await fc.assert(
    fc.asyncProperty(
      number,
      fc.array(number, { minLength: 8, maxLength: 60, size: "max" }),
      (first, steps) => runSchedule(first, steps),
    ),
    { numRuns: 4_000 },
  );
}, 120_000);

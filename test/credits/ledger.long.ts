import fc from "fast-check";
import { test } from "vitest";
import { runSchedule } from "./schedules.ts";
import { checkSeveralProcesses } from "./wishes.ts";

const number = fc.nat({ max: 2 ** 31 - 1 });
const steps = fc.array(number, { minLength: 8, maxLength: 200, size: "max" });

test("no schedule breaks the ledger, long ones of many", async () => {
  await fc.assert(
    fc.asyncProperty(number, steps, (first, rest) => runSchedule(first, rest)),
    { numRuns: 200_000 },
  );
});

test("several processes keep to the throughput, whatever is wanted of them when", () =>
  checkSeveralProcesses(20_000));

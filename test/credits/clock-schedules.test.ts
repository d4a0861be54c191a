import fc from "fast-check";
import { test } from "vitest";
import { runClockSchedule } from "./clock-schedules.ts";

const number = fc.nat({ max: 2 ** 31 - 1 });

/** What broke it before. */
const FOUND: [number, number[]][] = [
  // A day that the clock jumped to before its own midnight came.
  [0, [646_100_038, 1_446_678_137, 1_983_395_778, 0, 1_689_594_922, 0, 1_874_825_201, 0, 0]],
  // A clock that is set twice within the 250 ms in which two workers look at it.
  [
    14,
    [1_271_340_701, 1_421_710_841, 790_028_106, 603_093_042, 835_097_604, 92_719_440, 0, 0, 0, 0],
  ],
  // A midnight a second after a jump, which the process sees eleven minutes later.
  [
    0,
    [
      ...[384_450_227, 2_096_139_289, 27, 1_015_664_472, 407_394_211, 32_646_523, 1_331_478_121],
      ...[11, 0, 0, 0, 0],
    ],
  ],
];

/**
 * Seen to fail with each of these in the code: the store, or a process, never goes back to an earlier
 * day; a lease of another day is spent, or kept; every day, or none, has a balance of its own; there is
 * room for one such day more, or less, for twice as many, or for those of the start alone; a midnight
 * right after a jump counts; jumps are not seen, or only when credits are taken; each shared day has a
 * balance of its own, or none; the debit, or the reading of a day, leaves the other days out; each take
 * decides anew what is shared; each worker has a spare day of its own.
 */
test("no schedule of clocks that are set grants more than one balance beside the real days', or keeps one back", async () => {
  await fc.assert(
    fc.asyncProperty(
      number,
      fc.array(number, { minLength: 4, maxLength: 30, size: "max" }),
      (first, steps) => runClockSchedule(first, steps),
    ),
    { numRuns: 3_000, examples: FOUND },
  );
}, 120_000);

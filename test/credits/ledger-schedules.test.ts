import fc from "fast-check";
import { test } from "vitest";
import { runSchedule } from "./schedules.ts";

const number = fc.nat({ max: 2 ** 31 - 1 });

/** Each broke an invariant once. */
const FOUND: [number, number[]][] = [
  // A kill after an account refused what its key could pay.
  [182_807_342, [0, 1_954_387_146, 655_958_050, 198_471_611]],
  // A call of a lease ends free after the clock went to another day and back.
  [
    1_615_993_634,
    [917_428_615, 395_058_104, 290_491_424, 36_650_139, 0, 1_185_083_355, 0, 9, 0, 0, 951_093_803],
  ],
  // A call over the whole bound ends free beside others in the air.
  [
    2_004_427_122,
    [829_720_724, 1_823_846_030, 211_105_608, 890_811_316, 1_912_840_785, 1_520_900_136],
  ],
  // A killed process's journal names a take of another day that is older than one the store carried out.
  [
    0,
    [
      ...[352_686_647, 32_806_641, 1_736_292_063, 20, 0, 2_147_483_624, 1_672_688_049, 903_587_545],
      ...[0, 191_634_207, 0, 0, 0, 0, 0, 0, 0],
    ],
  ],
];

test("no schedule of clients, processes, crashes, midnights, clock jumps and store failures breaks the ledger", async () => {
  await fc.assert(
    fc.asyncProperty(
      number,
      fc.array(number, { minLength: 8, maxLength: 60, size: "max" }),
      (first, steps) => runSchedule(first, steps),
    ),
    { numRuns: 4_000, examples: FOUND },
  );
}, 120_000);

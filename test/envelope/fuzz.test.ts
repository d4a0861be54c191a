import { expect, test } from "vitest";
import { usedBytes } from "../support/memory.ts";
import { fuzz, inProcess } from "./fuzz.ts";

const MEBIBYTE = 1024 * 1024;

test("25,000 mutated bodies each get what they are owed, and memory comes back", async () => {
  const answer = inProcess();
  await fuzz(answer, { numRuns: 2_000 });
  const before = await usedBytes();
  await fuzz(answer, { numRuns: 25_000 });
  expect((await usedBytes()) - before).toBeLessThan(8 * MEBIBYTE);
}, 120_000);

import { expect, test } from "vitest";
import { usedBytes } from "../support/memory.ts";
import { fuzz, inProcess } from "./fuzz.ts";

test("1,000,000 mutated bodies each get what they are owed, and memory comes back", async () => {
  const answer = inProcess();
  await fuzz(answer, { numRuns: 2_000 });
  const before = await usedBytes();
  for (let part = 0; part < 10; part += 1) {
    await fuzz(answer, { numRuns: 100_000 });
    expect((await usedBytes()) - before).toBeLessThan(8 * 1024 * 1024);
  }
});

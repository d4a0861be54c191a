import { expect, test } from "vitest";
import { fuzz, heapAfterCollection, inProcess } from "./fuzz.ts";

test("1,000,000 mutated bodies each get what they are owed, and memory comes back", async () => {
  const answer = inProcess();
  await fuzz(answer, { numRuns: 2_000 });
  const before = heapAfterCollection();
  for (let part = 0; part < 10; part += 1) {
    await fuzz(answer, { numRuns: 100_000 });
    expect(heapAfterCollection() - before).toBeLessThan(8 * 1024 * 1024);
  }
});

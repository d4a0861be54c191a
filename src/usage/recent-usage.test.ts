import { expect, test } from "vitest";
import { readAtMostOncePerSecond } from "./recent-usage.ts";

test("an account is read once a second however often it is asked for, others for themselves", async () => {
  let nowMs = 0;
  const reads: string[] = [];
  const usageOf = readAtMostOncePerSecond(
    async ({ accountId }: { readonly accountId: string }) => {
      reads.push(accountId);
      return `${accountId} at ${nowMs}`;
    },
    { monotonic: () => nowMs },
  );
  const ask = (accountId: string) => usageOf({ accountId });
  expect(await Promise.all([ask("a"), ask("a"), ask("b")])).toEqual(["a at 0", "a at 0", "b at 0"]);
  nowMs = 999;
  expect(await ask("a")).toBe("a at 0");
  nowMs = 1000;
  expect(await ask("a")).toBe("a at 1000");
  expect(reads).toEqual(["a", "b", "a"]);
});

import { expect, test } from "vitest";
import { changeKeys } from "./felt-changes.ts";

test("1,000 revocations and limits that commit in a random order are each felt by all gateways within 1 s", async () => {
  const { longestMs, missed, answers } = await changeKeys(1000);
  expect(missed).toBe(0);
  expect(longestMs).toBeLessThan(1000);
  expect(answers).toEqual(new Set(["refused"]));
});

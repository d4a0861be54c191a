import { expect, test } from "vitest";
import { runApart } from "../../support/run-apart.ts";
import type { FeedTally } from "./feed-schedule.ts";

const FIRST = 1_000_000;
const SCHEDULES = 100_000;

test("nor does one of a hundred thousand more schedules lose or repeat anything", {
  timeout: 7_200_000,
}, async () => {
  const { told } = await runApart<FeedTally>(
    "test/simulation/subscriptions/feed-part.ts",
    FIRST,
    SCHEDULES,
  );
  expect(told).toBeGreaterThan(SCHEDULES * 200);
});

import { expect, test } from "vitest";
import { runApart } from "../../support/run-apart.ts";
import { runSeeds } from "../run-seeds.ts";
import { FeedSchedule, type FeedTally } from "./feed-schedule.ts";

const SCHEDULES = 300;
const { env }: { readonly env?: Readonly<Record<string, string>> } = import.meta as object;
/** SEED=… runs that one alone, and prints what happened in it when it fails. */
const SEED = env?.["SEED"];

test("whatever nodes, clients and the chain do, each is told of each block once and in order", {
  timeout: 600_000,
}, async () => {
  if (SEED !== undefined) {
    const seeds = { first: Number(SEED), count: 1 };
    await runSeeds(seeds, (seed, trace) => new FeedSchedule(seed, trace).run());
    return;
  }
  const { told, resumed, reorganisations, charged } = await runApart<FeedTally>(
    "test/simulation/subscriptions/feed-part.ts",
    1,
    SCHEDULES,
  );
  // That all of it took place.
  expect(told).toBeGreaterThan(SCHEDULES * 200);
  expect(charged).toBeGreaterThan(SCHEDULES * 200);
  expect(resumed).toBeGreaterThan(SCHEDULES);
  expect(reorganisations).toBeGreaterThan(SCHEDULES * 4);
});

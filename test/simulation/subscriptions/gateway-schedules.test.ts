import { expect, test } from "vitest";
import { runApart } from "../../support/run-apart.ts";
import { runSeeds } from "../run-seeds.ts";
import { GatewaySchedule, type GatewayTally } from "./gateway-schedule.ts";

const SCHEDULES = 200;
const { env }: { readonly env?: Readonly<Record<string, string>> } = import.meta as object;
/** SEED=… runs that one alone, and prints what happened in it when it fails. */
const SEED = env?.["SEED"];

test("whatever a gateway's nodes do, its subscribers are told of each block once and in order", {
  timeout: 600_000,
}, async () => {
  if (SEED !== undefined) {
    const seeds = { first: Number(SEED), count: 1 };
    await runSeeds(seeds, (seed, trace) => new GatewaySchedule(seed, trace).run());
    return;
  }
  const { told, resumed, anew, faults } = await runApart<GatewayTally>(
    "test/simulation/subscriptions/gateway-part.ts",
    1,
    SCHEDULES,
  );
  // That all of it took place.
  expect(told).toBeGreaterThan(SCHEDULES * 100);
  expect(resumed).toBeGreaterThan(SCHEDULES * 2);
  expect(faults).toBeGreaterThan(SCHEDULES * 2);
  expect(anew).toBeLessThan(SCHEDULES * 2);
});

import { expect, test } from "vitest";
import { runParts } from "../run-parts.ts";
import type { GatewayTally } from "./gateway-schedule.ts";

const PROGRAM = "test/simulation/subscriptions/gateway-part.ts";
const FIRST = 1_000_000;
const SCHEDULES = 100_000;
const PART = 5000;

test("nor do the nodes of a hundred thousand more gateways make a subscriber lose or hear twice of anything", {
  timeout: 7_200_000,
}, async () => {
  const seeds = { first: FIRST, count: SCHEDULES, part: PART };
  const tallies = await runParts<GatewayTally>(PROGRAM, seeds);
  const told = tallies.reduce((sum, tally) => sum + tally.told, 0);
  expect(told).toBeGreaterThan(SCHEDULES * 100);
});

import { expect, test } from "vitest";
import { runApart } from "../../support/run-apart.ts";
import type { GatewayTally } from "./gateway-schedule.ts";

const FIRST = 1_000_000;
const SCHEDULES = 100_000;
/** Of two cores. */
const PARTS = 2;

test("nor do the nodes of a hundred thousand more gateways make a subscriber lose or hear twice of anything", {
  timeout: 7_200_000,
}, async () => {
  const each = SCHEDULES / PARTS;
  const tallies = await Promise.all(
    Array.from({ length: PARTS }, (_, part) =>
      runApart<GatewayTally>(
        "test/simulation/subscriptions/gateway-part.ts",
        FIRST + part * each,
        each,
      ),
    ),
  );
  const told = tallies.reduce((sum, tally) => sum + tally.told, 0);
  expect(told).toBeGreaterThan(SCHEDULES * 100);
});

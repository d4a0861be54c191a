import { afterEach, expect, test } from "vitest";
import type { Storage } from "../../../src/storage/store.ts";
import { sharedPostgres } from "../../support/postgres.ts";
import { runParts } from "../run-parts.ts";
import type { FleetTally } from "./fleet-schedule.ts";
import { postgresStorage, sqliteStorage } from "./real-stores.ts";
import { runFleetSchedules } from "./run-fleet-schedules.ts";

const PROGRAM = "test/simulation/fleet/fleet-part.ts";
const FIRST = 1_000_000;
const SCHEDULES = 1_000_000;
/** A process runs at full speed after some 500: it has to run many. */
const PART = 50_000;
const ON_SQLITE = 3000;
const ON_POSTGRES = 1000;
let storage: Storage | undefined;
afterEach(async () => {
  await storage?.close();
  storage = undefined;
});

test("over a million schedules of fleets no invariant is broken", {
  timeout: 7_200_000,
}, async () => {
  const seeds = { first: FIRST, count: SCHEDULES, part: PART };
  const tallies = await runParts<FleetTally>(PROGRAM, seeds);
  const calls = tallies.reduce((sum, tally) => sum + tally.calls, 0);
  expect(calls).toBeGreaterThan(SCHEDULES * 60);
});

test("nor with the statements of SQLite", async () => {
  storage = await sqliteStorage();
  await runFleetSchedules({ first: FIRST, count: ON_SQLITE, storage });
});

test("nor with the statements of PostgreSQL", async () => {
  storage = await postgresStorage(await sharedPostgres());
  await runFleetSchedules({ first: FIRST, count: ON_POSTGRES, storage });
});

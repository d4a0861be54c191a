import { afterEach, expect, test } from "vitest";
import type { Storage } from "../../../src/storage/store.ts";
import { sharedPostgres } from "../../support/postgres.ts";
import { runApart } from "../../support/run-apart.ts";
import type { FleetTally } from "./fleet-schedule.ts";
import { postgresStorage, sqliteStorage } from "./real-stores.ts";
import { runFleetSchedules } from "./run-fleet-schedules.ts";

const PROGRAM = "test/simulation/fleet/fleet-part.ts";
const FIRST = 1_000_000;
const SCHEDULES = 1_000_000;
/** Processes: cores of the machine. */
const AT_ONCE = 2;
const PART = 10_000;
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
  const parts = Array.from({ length: SCHEDULES / PART }, (_, index) => FIRST + index * PART);
  let calls = 0;
  const work = async () => {
    for (let first = parts.shift(); first !== undefined; first = parts.shift()) {
      const part = await runApart<FleetTally>(PROGRAM, first, PART);
      calls += part.calls;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
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

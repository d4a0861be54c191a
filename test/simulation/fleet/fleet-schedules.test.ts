import { afterEach, expect, test } from "vitest";
import type { Storage } from "../../../src/storage/store.ts";
import { sharedPostgres } from "../../support/postgres.ts";
import { runApart } from "../../support/run-apart.ts";
import type { FleetTally } from "./fleet-schedule.ts";
import { postgresStorage, sqliteStorage } from "./real-stores.ts";
import { runFleetSchedules } from "./run-fleet-schedules.ts";

const SCHEDULES = 5000;
const ON_SQLITE = 50;
const ON_POSTGRES = 15;
const { env }: { readonly env?: Readonly<Record<string, string>> } = import.meta as object;
/** SEED=… runs that one alone, and prints what happened in it when it fails. */
const SEED = env?.["SEED"];
const of = (count: number) =>
  SEED === undefined ? { first: 1, count } : { first: Number(SEED), count: 1 };

let storage: Storage | undefined;
afterEach(async () => {
  await storage?.close();
  storage = undefined;
});

const WHATEVER =
  "whatever databases, gateways and nodes do, nobody is served too much, too fast, wrongly or never";

test(WHATEVER, { timeout: 600_000 }, async () => {
  if (SEED !== undefined) {
    await runFleetSchedules(of(1));
    return;
  }
  const { calls, served, refused, kills, databaseFaults } = await runApart<FleetTally>(
    "test/simulation/fleet/fleet-part.ts",
    1,
    SCHEDULES,
  );
  // That all of it took place.
  expect(calls).toBeGreaterThan(SCHEDULES * 60);
  expect(served).toBeGreaterThan(SCHEDULES * 30);
  expect(refused).toBeGreaterThan(SCHEDULES * 10);
  expect(kills).toBeGreaterThan(SCHEDULES / 2);
  expect(databaseFaults).toBeGreaterThan(SCHEDULES / 2);
});

test(`${WHATEVER}, with the statements of SQLite`, { timeout: 600_000 }, async () => {
  storage = await sqliteStorage();
  await runFleetSchedules({ ...of(ON_SQLITE), storage });
});

test(`${WHATEVER}, with the statements of PostgreSQL`, { timeout: 600_000 }, async () => {
  storage = await postgresStorage(await sharedPostgres());
  await runFleetSchedules({ ...of(ON_POSTGRES), storage });
});

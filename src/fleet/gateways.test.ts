import { expect, test } from "vitest";
import { fleetProcess } from "../../test/support/fleet-contract.ts";
import { fleetOf } from "./gateways.ts";

test("the workers of a gateway are shown as one, with the newest head that one of them knows", () => {
  const { gateways, differ } = fleetOf([
    fleetProcess({ startedAt: 2000, heads: { mainnet: 7, base: null } }),
    fleetProcess({ worker: 2, process: "two", startedAt: 1000, heads: { mainnet: 9, base: null } }),
    fleetProcess({
      worker: 3,
      process: "three",
      startedAt: 3000,
      heads: { mainnet: null, base: 4 },
    }),
    fleetProcess({ name: "west", process: "four", callsPerSecond: 1 / 3, heads: {} }),
  ]);
  const [east, west] = gateways;
  expect(differ).toEqual([]);
  expect(east).toEqual({
    name: "east",
    version: "1.2.3",
    startedAt: "1970-01-01T00:00:01.000Z",
    callsPerSecond: 37.5,
    leases: 9,
    networks: [
      { name: "mainnet", head: 9 },
      { name: "base", head: 4 },
    ],
  });
  expect(west).toMatchObject({ name: "west", callsPerSecond: 0.3, leases: 3, networks: [] });
});

test("settings that are not alike in all files are named, and no others", () => {
  const marks = (plans: string, secret?: string) => ({
    marks: {
      plans,
      "keys.pepper": "same",
      ...(secret !== undefined && { "console.secret": secret }),
    },
  });
  const of = (...all: object[]) => fleetOf(all.map((each) => fleetProcess(each))).differ;
  expect(of(marks("a", "s"), marks("a"))).toEqual([]);
  expect(of(marks("a", "s"), marks("b"), marks("a", "t"))).toEqual(["plans", "console.secret"]);
});

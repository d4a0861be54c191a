import { expectFound } from "../../support/found-mutations.ts";
import { FLEET_MUTATIONS } from "./fleet-mutations.ts";

expectFound({
  mutations: FLEET_MUTATIONS,
  parts: ["src", "test/simulation", "test/credits", "test/support"],
  program: "test/simulation/fleet/first-fleet-violation.ts",
  ...{ most: 2000, what: "schedules of fleets" },
});

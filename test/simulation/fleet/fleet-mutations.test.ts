import { expect, test } from "vitest";
import { placesFor } from "../../support/mutations.ts";
import { FLEET_MUTATIONS } from "./fleet-mutations.ts";

test.each(FLEET_MUTATIONS)("the code has one place for the fault: $name", async (mutation) => {
  expect(await placesFor(mutation)).toBe(1);
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { MutatedCheckout } from "../../support/mutations.ts";
import { FLEET_MUTATIONS } from "./fleet-mutations.ts";

const MOST_SCHEDULES = 2000;
const PROGRAM = "test/simulation/fleet/first-fleet-violation.ts";

let checkout: MutatedCheckout;
beforeAll(async () => {
  const parts = ["src", "test/simulation", "test/credits", "test/support"];
  checkout = await MutatedCheckout.copy(parts);
});
afterAll(() => checkout?.remove());

async function firstViolation(): Promise<number> {
  const found = await checkout.run(PROGRAM, String(MOST_SCHEDULES));
  return found === "" ? Number.POSITIVE_INFINITY : Number(found);
}

test("the schedules of fleets find no fault in the code as it is", async () => {
  expect(await firstViolation()).toBe(Number.POSITIVE_INFINITY);
});

test.each(FLEET_MUTATIONS)(
  `within ${MOST_SCHEDULES} schedules of fleets it is found that $name`,
  async (mutation) => {
    await checkout.runWith(mutation, async () => {
      expect(await firstViolation()).toBeLessThanOrEqual(MOST_SCHEDULES);
    });
  },
);

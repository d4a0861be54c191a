import { afterAll, beforeAll, expect, test } from "vitest";
import { MutatedCheckout } from "../support/mutations.ts";
import { MUTATIONS } from "./mutations.ts";

const MOST_SCHEDULES = 1500;

let checkout: MutatedCheckout;
beforeAll(async () => {
  checkout = await MutatedCheckout.copy(["src", "test/simulation"]);
});
afterAll(() => checkout?.remove());

async function firstViolation(): Promise<number> {
  const program = "test/simulation/first-violation.ts";
  const found = await checkout.run(program, String(MOST_SCHEDULES));
  return found === "" ? Number.POSITIVE_INFINITY : Number(found);
}

test("the schedules find no fault in the code as it is", async () => {
  expect(await firstViolation()).toBe(Number.POSITIVE_INFINITY);
});

test.each(MUTATIONS)(
  `within ${MOST_SCHEDULES} schedules it is found that $name`,
  async (mutation) => {
    await checkout.runWith(mutation, async () => {
      expect(await firstViolation()).toBeLessThanOrEqual(MOST_SCHEDULES);
    });
  },
);

import { afterAll, beforeAll, expect, test } from "vitest";
import { MutatedCheckout } from "../../support/mutations.ts";
import { MUTATIONS } from "./mutations.ts";

const MOST_ORDERS = 1000;

let checkout: MutatedCheckout;
beforeAll(async () => {
  const names = ["src", "test/console", "test/simulation", "test/support", "web/dist"];
  checkout = await MutatedCheckout.copy(names);
});
afterAll(() => checkout?.remove());

const firstBroken = (): Promise<string> =>
  checkout.run("test/console/take-over/first-broken.ts", String(MOST_ORDERS));

test("the orders find no fault in the code as it is", async () => {
  expect(await firstBroken()).toBe("");
});

test.each(MUTATIONS)(`within ${MOST_ORDERS} orders it is found that $name`, async (mutation) => {
  await checkout.runWith(mutation, async () => {
    expect(await firstBroken()).toMatch(/^seed \d+: /);
  });
});

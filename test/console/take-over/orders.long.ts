import { expect, test } from "vitest";
import { brokenOrders } from "./orders.ts";

test("in 10,000 orders of two people's steps nobody gets into the other's account", async () => {
  const seeds = Array.from({ length: 10_000 }, (_, index) => index + 1);
  expect(await brokenOrders(seeds)).toEqual([]);
});

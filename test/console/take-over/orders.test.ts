import { expect, test } from "vitest";
import { brokenOrders } from "./orders.ts";

const ORDERS = 25;
/** A fifth of a second an order on a slow machine, more beside other tests. */
const ENOUGH_MS = 240_000;

test(
  `in ${ORDERS} orders of two people's steps nobody gets into the other's account`,
  async () => {
    const seeds = Array.from({ length: ORDERS }, (_, index) => index + 1);
    expect(await brokenOrders(seeds)).toEqual([]);
  },
  ENOUGH_MS,
);

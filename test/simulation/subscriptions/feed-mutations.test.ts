import { expect, test } from "vitest";
import { placesFor } from "../../support/mutations.ts";
import { FEED_MUTATIONS } from "./feed-mutations.ts";

test.each(FEED_MUTATIONS)("the code has one place for the fault: $name", async (mutation) => {
  expect(await placesFor(mutation)).toBe(1);
});

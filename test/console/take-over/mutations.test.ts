import { expect, test } from "vitest";
import { placesFor } from "../../support/mutations.ts";
import { MUTATIONS } from "./mutations.ts";

test.each(MUTATIONS)("the code has one place for the fault: $name", async (mutation) => {
  expect(await placesFor(mutation)).toBe(1);
});

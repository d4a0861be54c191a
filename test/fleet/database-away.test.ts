import { test } from "vitest";
import { absence, expectServed } from "./database-away.ts";

test.concurrent.each(["closed", "hole"] as const)(
  "while the database is away (%s) an owner with a lease is served, others get 503, and nothing is lost",
  async (passage) => expectServed(await absence(passage, 8000)),
  60_000,
);

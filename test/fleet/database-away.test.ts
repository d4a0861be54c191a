import { test } from "vitest";
import { absence, expectServed } from "./database-away.ts";

/** The others: database-away.long.ts. */
test.concurrent.each([
  ["closed", 1],
  ["hole", 2],
] as const)(
  "while the database is away (%s) an owner with a lease in %d gateways is served, others get 503, and nothing is lost",
  async (passage, gateways) => expectServed(await absence(passage, { awayMs: 8000, gateways })),
  60_000,
);

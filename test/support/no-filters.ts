import { randomBytes } from "node:crypto";
import { systemClock } from "../../src/lib/clock.ts";
import { openMemory } from "../../src/storage/memory.ts";
import { Filters } from "../../src/subscriptions/filters.ts";

/** For a pipeline whose networks tell nothing by themselves. */
export const noFilters = new Filters({
  store: openMemory().filters,
  feeds: { ofFilters: () => undefined, mostOf: () => 0 },
  clock: systemClock,
  random: randomBytes,
});

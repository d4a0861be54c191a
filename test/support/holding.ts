import { type Holding, MemoryBudget } from "../../src/lib/memory-budget.ts";

/** A budget that nothing uses up. */
export const plentyOfMemory = (): MemoryBudget => new MemoryBudget(Number.MAX_SAFE_INTEGER);

export const someHolding = (): Holding => plentyOfMemory().open("anybody", () => undefined);

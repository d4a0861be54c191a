import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Account, Limits } from "../storage/store.ts";
import { createId } from "./ids.ts";

export const NO_LIMITS: Limits = Object.freeze({ creditsPerDay: null, creditsPerSecond: null });

/** An account that nobody has written yet; its plan decides what it may spend. */
export function newAccount(
  { clock, random }: { readonly clock: Pick<Clock, "now">; readonly random: Random },
  { email, plan, operator }: Pick<Account, "email" | "plan" | "operator">,
): Account {
  const id = createId("acc", random);
  const createdAt = clock.now();
  return { id, email, plan, operator, suspended: false, limits: NO_LIMITS, createdAt };
}

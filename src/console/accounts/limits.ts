import type { Limits } from "../../storage/store.ts";
import type { LimitChanges } from "../contract/common.ts";

/** A limit that is not named stays. */
export function changedLimits(present: Limits, changes: LimitChanges | undefined): Limits {
  const { creditsPerDay = present.creditsPerDay, creditsPerSecond = present.creditsPerSecond } =
    changes ?? {};
  return { creditsPerDay, creditsPerSecond };
}

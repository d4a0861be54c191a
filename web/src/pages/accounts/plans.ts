import type { PlanView } from "../../../../src/console/contract/operator-accounts.ts";
import { formatShort } from "../../format.ts";
import type { Choice } from "../../ui/field.tsx";

/** Plans with what they grant. */
export function planChoices(plans: readonly PlanView[]): readonly Choice[] {
  return plans.map(({ name, dailyCredits, creditsPerSecond }) => ({
    value: name,
    label: `${name}: ${formatShort(dailyCredits)} a day, ${formatShort(creditsPerSecond)} a second`,
  }));
}

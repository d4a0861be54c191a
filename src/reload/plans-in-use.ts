import type { Fault } from "../config/faults.ts";
import type { Config } from "../config/schema.ts";
import type { Storage } from "../storage/store.ts";

const PAGE = 1000;

/** Plans that accounts are on, and that another configuration has no more: their calls would be refused. */
export async function missingPlans(
  { accounts }: Pick<Storage, "accounts">,
  before: Config["plans"],
  next: Config["plans"],
): Promise<readonly Fault[]> {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(next, name));
  if (gone.length === 0) return [];
  const counts = new Map<string, number>();
  for (let after: string | null | undefined; after !== null; ) {
    const page = await accounts.page({ after, limit: PAGE });
    for (const { plan } of page.accounts) counts.set(plan, (counts.get(plan) ?? 0) + 1);
    after = page.next;
  }
  return gone.flatMap((name) => {
    const count = counts.get(name) ?? 0;
    const message = `${count} accounts are on this plan; give them another one before it is removed`;
    return count === 0 ? [] : [{ path: `plans.${name}`, line: 0, message }];
  });
}

import type { Clock } from "../lib/clock.ts";
import type { KeyStore } from "../storage/store.ts";
import { isExplorerKey } from "./explorer-key.ts";
import { isActive } from "./new-key.ts";

export type MostKeysParts = {
  readonly keys: Pick<KeyStore, "list">;
  readonly clock: Pick<Clock, "now">;
  readonly accountId: string;
};

/** How many active keys an account may have in all, where people may make so many. */
export async function mostActiveKeys(
  maxKeys: number,
  { keys, clock, accountId }: MostKeysParts,
): Promise<number> {
  const records = await keys.list(accountId);
  const own = records.filter(({ key }) => isExplorerKey(key) && isActive(key, clock.now()));
  return maxKeys + own.length;
}

import type { PostgresDatabase } from "./database.ts";
import type { Values } from "./statement.ts";

/** Carries out an insertion that counts what the account has: for one account one after the other. */
export function insertCounted(
  db: PostgresDatabase,
  sql: string,
  values: Values & { readonly accountId: string },
): Promise<boolean> {
  const { accountId } = values;
  return db.transaction(async (tx) => {
    await tx.read("SELECT 1 FROM @accounts WHERE id = :accountId FOR NO KEY UPDATE", { accountId });
    return (await tx.change(sql, values)) === 1;
  });
}

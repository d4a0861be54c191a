import { displayPrefix, hashApiKey } from "../src/access/api-key.ts";
import { openDatabase } from "../src/storage/sqlite/database.ts";
import { keyStatements } from "../src/storage/sqlite/keys.ts";
import { keyText } from "./bodies.ts";

/** Puts the bench's keys into the database of a gateway that does not run; 100,000 take some seconds. */
export function insertKeys(
  path: string,
  { owner, keys }: { readonly owner: string; readonly keys: number },
): void {
  const database = openDatabase({ path, busyTimeoutMs: 5000 });
  try {
    const row = database.prepare("SELECT id FROM accounts WHERE email = ?").get(owner);
    const { insert } = keyStatements(database);
    const rest = {
      accountId: String(row?.["id"]),
      createdAt: Date.now(),
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      limits: { creditsPerDay: null, creditsPerSecond: null },
      allow: {},
    };
    database.exec("BEGIN");
    for (let n = 0; n < keys; n += 1) {
      const text = keyText(n);
      const names = { id: `key_bench${n}`, name: `bench ${n}`, prefix: displayPrefix(text) };
      insert({ ...rest, ...names, hash: hashApiKey(text) }, undefined);
    }
    database.exec("COMMIT");
  } finally {
    database.close();
  }
}

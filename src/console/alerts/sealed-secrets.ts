import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import type { Random } from "../../lib/random.ts";
import type { AlertSettings, AlertStore } from "../../storage/console-stores.ts";

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** The beginning of a sealed secret; an older version's is not sealed. */
const MARK = "sealed_1:";
/** Gives this use of `console.secret` a key of its own. */
const PURPOSE = "tollgate webhook secrets";

type Parts = { readonly secret: string; readonly random: Random };

/**
 * The store of alerts whose webhooks' secrets are encrypted with a key that follows from
 * `console.secret`: who reads a copy of the database cannot sign as this gateway. A secret that cannot be
 * decrypted, since `console.secret` is another one now, is as if there were no webhook.
 */
export function sealedAlerts(store: AlertStore, { secret, random }: Parts): AlertStore {
  const key = Buffer.from(hkdfSync("sha256", secret, "", PURPOSE, KEY_BYTES));
  const opened = (settings: AlertSettings): AlertSettings => {
    const { webhook, accountId } = settings;
    if (webhook === null) return settings;
    const open = unseal(webhook.secret, key, accountId);
    return { ...settings, webhook: open === undefined ? null : { ...webhook, secret: open } };
  };
  return {
    ...store,
    read: async (accountId) => {
      const found = await store.read(accountId);
      return found && opened(found);
    },
    list: async () => (await store.list()).map(opened),
    write: (settings) => {
      const { webhook, accountId } = settings;
      if (webhook === null) return store.write(settings);
      const sealed = seal(webhook.secret, { key, nonce: random(NONCE_BYTES), accountId });
      return store.write({ ...settings, webhook: { ...webhook, secret: sealed } });
    },
  };
}

/** Seals what an older version wrote in clear. @throws StorageError */
export async function sealOldSecrets(store: AlertStore, sealed: AlertStore): Promise<void> {
  for (const settings of await store.list()) {
    if (settings.webhook?.secret.startsWith(MARK) === false) await sealed.write(settings);
  }
}

/** `accountId` is part of what is authenticated: a secret does not open in another account's row. */
function seal(
  text: string,
  { key, nonce, accountId }: { key: Buffer; nonce: Uint8Array; accountId: string },
): string {
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(accountId));
  const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final()]);
  return MARK + Buffer.concat([sealed, cipher.getAuthTag()]).toString("base64");
}

function unseal(text: string, key: Buffer, accountId: string): string | undefined {
  if (!text.startsWith(MARK)) return text;
  const bytes = Buffer.from(text.slice(MARK.length), "base64");
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAAD(Buffer.from(accountId)).setAuthTag(bytes.subarray(-TAG_BYTES));
    const sealed = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
    return decipher.update(sealed, undefined, "utf8") + decipher.final("utf8");
  } catch {
    return undefined;
  }
}

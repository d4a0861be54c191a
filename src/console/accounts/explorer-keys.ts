import { EXPLORER_KEY_NAME, isExplorerKey } from "../../access/explorer-key.ts";
import { NO_LIMITS } from "../../access/new-account.ts";
import { isActive, newKey } from "../../access/new-key.ts";
import type { Account, ApiKey } from "../../storage/store.ts";
import type { ApiParts } from "../api/parts.ts";
import { keyParts } from "./key-requests.ts";

const VALID_MS = 86_400_000;
/** A key is renewed that much before its end, so that no call meets it. */
const RENEWED_BEFORE_MS = 60_000;

export type ExplorerKey = { readonly id: string; readonly text: string; readonly endsAt: number };

/** The explorer's keys of an account that a gateway still takes. */
async function activeExplorerKeys(
  { storage, clock }: Pick<ApiParts, "storage" | "clock">,
  { id }: Account,
): Promise<readonly ApiKey[]> {
  const keys = (await storage.keys.list(id)).map((record) => record.key);
  return keys.filter((key) => isExplorerKey(key) && isActive(key, clock.now()));
}

/** The keys that the explorer calls with: one of each account, whose text is in this memory alone. */
export class ExplorerKeys {
  readonly #parts: ApiParts;
  readonly #keys = new Map<string, ExplorerKey>();
  readonly #making = new Map<string, Promise<ExplorerKey>>();

  constructor(parts: ApiParts) {
    this.#parts = parts;
  }

  /**
   * Made where there is none, it ends soon or is the one that the gateway `refused`; those who ask
   * at once get the same. `onMade` is told its id. @throws StorageError
   */
  async of(
    account: Account,
    onMade: (id: string) => void,
    refused?: ExplorerKey,
  ): Promise<ExplorerKey> {
    const { id } = account;
    const known = this.#keys.get(id);
    const lasts = (known?.endsAt ?? 0) - this.#parts.clock.now() > RENEWED_BEFORE_MS;
    if (known !== undefined && known !== refused && lasts) return known;
    let making = this.#making.get(id);
    if (making === undefined) {
      making = this.#make(account, onMade).finally(() => this.#making.delete(id));
      this.#making.set(id, making);
    }
    return making;
  }

  /** A former one, of a console that ended, is revoked: nobody knows its text any more. */
  async #make(account: Account, onMade: (id: string) => void): Promise<ExplorerKey> {
    const { storage, clock } = this.#parts;
    const former = await activeExplorerKeys(this.#parts, account);
    const endsAt = clock.now() + VALID_MS;
    const { text, key } = newKey(keyParts(this.#parts), {
      accountId: account.id,
      name: EXPLORER_KEY_NAME,
      expiresAt: endsAt,
      limits: NO_LIMITS,
      allow: {},
    });
    // Without the plan's maxKeys: it limits what people make.
    await storage.keys.insert(key);
    onMade(key.id);
    for (const { id } of former) await storage.keys.revoke(id, clock.now());
    const made = { id: key.id, text, endsAt };
    this.#keys.set(account.id, made);
    return made;
  }
}

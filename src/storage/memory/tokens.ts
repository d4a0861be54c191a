import type { ApiToken, TokenStore } from "../console-stores.ts";
import { StorageError } from "../store.ts";
import type { Accounts } from "./accounts.ts";

/** API tokens in memory; `forget` drops those of an account. */
export function memoryTokens({ check, has }: Pick<Accounts, "check" | "has">): {
  readonly store: TokenStore;
  readonly forget: (accountId: string) => void;
} {
  const tokens = new Map<string, ApiToken>();
  const ofAccount = (accountId: string): readonly ApiToken[] =>
    [...tokens.values()]
      .filter((token) => token.accountId === accountId)
      .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  const store: TokenStore = {
    insert: async (token, most) => {
      check();
      if (!has(token.accountId)) throw new StorageError("no such account");
      if (ofAccount(token.accountId).length >= most) return false;
      tokens.set(token.id, token);
      return true;
    },
    findByHash: async (hash) => {
      check();
      return [...tokens.values()].find((token) => token.hash === hash);
    },
    list: async (accountId) => {
      check();
      return ofAccount(accountId);
    },
    remove: async (accountId, id) => {
      check();
      return tokens.get(id)?.accountId === accountId && tokens.delete(id);
    },
    recordUse: async (id, at) => {
      check();
      const token = tokens.get(id);
      if (token) tokens.set(id, { ...token, lastUsedAt: Math.max(token.lastUsedAt ?? 0, at) });
    },
  };
  const forget = (accountId: string): void => {
    for (const { id } of ofAccount(accountId)) tokens.delete(id);
  };
  return { store, forget };
}

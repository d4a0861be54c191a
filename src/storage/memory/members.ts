import type { Member, MemberStore } from "../console-stores.ts";
import { StorageError } from "../store.ts";
import type { Accounts } from "./accounts.ts";

/** Members in memory; `forget` drops those of an account. */
export function memoryMembers({ check, has, sameEmail }: Accounts): {
  readonly store: MemberStore;
  readonly forget: (accountId: string) => void;
} {
  const members = new Map<string, Member>();
  const found = (wanted: (member: Member) => boolean): readonly Member[] =>
    [...members.values()]
      .filter(wanted)
      .sort((a, b) => a.addedAt - b.addedAt || (a.id < b.id ? -1 : 1));
  const store: MemberStore = {
    add: async (member) => {
      check();
      if (!has(member.accountId)) throw new StorageError("no such account");
      const { accountId, email } = member;
      const same = found((each) => each.accountId === accountId && sameEmail(each.email, email));
      if (same.length > 0) return false;
      members.set(member.id, member);
      return true;
    },
    list: async (accountId) => {
      check();
      return found((member) => member.accountId === accountId);
    },
    ofEmail: async (email) => {
      check();
      return found((member) => sameEmail(member.email, email));
    },
    remove: async (accountId, id) => {
      check();
      return members.get(id)?.accountId === accountId && members.delete(id);
    },
  };
  const forget = (accountId: string): void => {
    for (const { id } of found((member) => member.accountId === accountId)) members.delete(id);
  };
  return { store, forget };
}

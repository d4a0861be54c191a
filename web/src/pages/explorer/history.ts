import { useEffect, useState } from "preact/hooks";
import type { ExplorerReply } from "../../../../src/console/contract/explorer.ts";

/** A call of this visit with what it brought. */
export type MadeCall = {
  readonly id: number;
  /** Unix milliseconds. */
  readonly at: number;
  readonly network: string;
  readonly method: string;
  readonly params: readonly unknown[];
  readonly reply: ExplorerReply;
};

/** Answers may be large, and each is kept whole. */
const MOST = 15;

/** By account; lives as long as the document and is stored nowhere. */
const visits = new Map<string, readonly MadeCall[]>();
let lastId = 0;

/** The account's calls of this visit, newest first, and how one is added. */
export function useHistory(account: string): {
  readonly calls: readonly MadeCall[];
  readonly add: (call: Omit<MadeCall, "id" | "at">) => MadeCall;
} {
  const [calls, setCalls] = useState(visits.get(account) ?? []);
  useEffect(() => setCalls(visits.get(account) ?? []), [account]);
  const add = (call: Omit<MadeCall, "id" | "at">): MadeCall => {
    lastId += 1;
    const made = { ...call, id: lastId, at: Date.now() };
    const all = [made, ...(visits.get(account) ?? [])].slice(0, MOST);
    visits.set(account, all);
    setCalls(all);
    return made;
  };
  return { calls, add };
}

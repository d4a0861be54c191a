import { useEffect, useState } from "preact/hooks";
import type { AllowEntryCheck } from "../../../../src/console/contract/session.ts";
import { api, messageOf } from "../../api.ts";
import type { AllowKind } from "./allow-kinds.ts";

/** Long enough for a word to be typed, short enough to be the answer to it. */
const PAUSE_MS = 250;

export type EntryCheck = {
  /** As it would be stored; undefined until that is known. */
  readonly entry: string | undefined;
  readonly fault: string | undefined;
};

const UNKNOWN: EntryCheck = { entry: undefined, fault: undefined };

/** Asks the gateway about an entry as it is typed: what is right for it is right here. */
export function useEntryCheck(kind: AllowKind, text: string): EntryCheck {
  const asked = `${kind} ${text}`;
  const [check, setCheck] = useState<EntryCheck & { readonly asked: string }>({
    ...UNKNOWN,
    asked: "",
  });
  useEffect(() => {
    if (text.trim() === "") return;
    let stale = false;
    const ask = async () => {
      const found = await checkEntry(kind, text);
      if (!stale) setCheck({ ...found, asked });
    };
    const timer = setTimeout(() => void ask(), PAUSE_MS);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [asked, kind, text]);
  return check.asked === asked && text.trim() !== "" ? check : UNKNOWN;
}

async function checkEntry(kind: AllowKind, value: string): Promise<EntryCheck> {
  try {
    const found = await api.post<AllowEntryCheck>("/allow-entries/check", { kind, value });
    return { entry: found.entry ?? undefined, fault: found.fault ?? undefined };
  } catch (error) {
    return { entry: undefined, fault: messageOf(error) };
  }
}

import { useEffect, useState } from "preact/hooks";

/** What this browser keeps of a person's choices; nothing of it is secret. */
type Setting = "theme" | "zone" | "account";

const PREFIX = "tollgate.";
const listeners = new Set<() => void>();

/** The choice, or undefined where there is none (or the browser keeps nothing). */
export function readSetting(name: Setting): string | undefined {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

export function writeSetting(name: Setting, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    // A browser that keeps nothing: the choice holds for as long as the page is open.
  }
  for (const listener of listeners) listener();
}

/** The choice, followed: also when another tab of the same browser changes it. */
export function useSetting(name: Setting): [string | undefined, (value?: string) => void] {
  const [value, setValue] = useState(() => readSetting(name));
  useEffect(() => {
    const look = () => setValue(readSetting(name));
    listeners.add(look);
    window.addEventListener("storage", look);
    return () => {
      listeners.delete(look);
      window.removeEventListener("storage", look);
    };
  }, [name]);
  return [value, (next) => writeSetting(name, next)];
}

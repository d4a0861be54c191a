const LAST = "tollgate.reloaded";
const PAUSE_MS = 30_000;

/**
 * Loads the document again, at most every 30 s: after an upgrade of the gateway the files that an
 * open page would fetch are gone, and a new document names theirs. False where it was tried before.
 */
export function loadFreshDocument(): boolean {
  try {
    const last = Number(sessionStorage.getItem(LAST) ?? 0);
    if (Date.now() - last < PAUSE_MS) return false;
    sessionStorage.setItem(LAST, String(Date.now()));
  } catch {
    // Without a memory it could go on forever.
    return false;
  }
  location.reload();
  return true;
}

import type { UnixMs } from "../lib/clock.ts";
import { type Identity, isExpired } from "./identity.ts";

/** Told of each change: who the caller is now, or that the key has ended. */
export type WatchListener = (now: Identity | "refused") => void;

type Watched = { identity: Identity; readonly listeners: Set<WatchListener> };

/** The keys whose holders stay (open WebSockets), and who is to be told when one changes. */
export class Watches {
  readonly #byKey = new Map<string, Watched>();

  /** Returns what ends the watch. */
  add(identity: Identity, listener: WatchListener): () => void {
    const watched = this.#byKey.get(identity.keyId) ?? { identity, listeners: new Set() };
    this.#byKey.set(identity.keyId, watched);
    watched.listeners.add(listener);
    return () => {
      watched.listeners.delete(listener);
      const current = this.#byKey.get(identity.keyId) === watched;
      if (current && watched.listeners.size === 0) this.#byKey.delete(identity.keyId);
    };
  }

  /** The watched keys of which that is true. */
  keyIds(matches: (identity: Identity) => boolean): readonly string[] {
    return [...this.#byKey.values()]
      .map(({ identity }) => identity)
      .filter(matches)
      .map(({ keyId }) => keyId);
  }

  /** Tells all who watch the key; of a key that has ended this is the last they hear. */
  tell(keyId: string, now: Identity | "refused"): void {
    const watched = this.#byKey.get(keyId);
    if (watched === undefined) return;
    if (now === "refused") this.#byKey.delete(keyId);
    else watched.identity = now;
    for (const listener of watched.listeners) listener(now);
  }

  tellExpired(now: UnixMs): void {
    for (const keyId of this.keyIds((identity) => isExpired(identity, now))) {
      this.tell(keyId, "refused");
    }
  }
}

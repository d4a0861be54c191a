import { LRUCache } from "lru-cache";
import { ownText } from "../lib/bytes.ts";
import type { Time } from "../lib/clock.ts";
import type { Changes, Storage } from "../storage/store.ts";
import { hashApiKey, isApiKey } from "./api-key.ts";
import { type Identity, identityOf, isExpired } from "./identity.ts";
import { type KnownKey, KnownKeys } from "./known-keys.ts";
import { LastUsed } from "./last-used.ts";
import { RecentChanges } from "./recent-changes.ts";
import { Watches, type WatchListener } from "./watches.ts";

export type { Identity };

/** A quarter of the second within which a revocation has to hold in every process. */
const POLL_MS = 250;
/** For clients that go on with an ended key. Short, and emptied by every change in the store. */
const REFUSED_KEYS = 10_000;
/** Beside what is known of keys they take little: one for so many bytes of that. */
const REFUSED_SHARE = 1000;
const REFUSED_TTL_MS = 10_000;
/** Keys that are well-formed and invented cost a question each; more than these do not queue. */
const LOOK_UPS_IN_THE_AIR = 10_000;

/** `refused`: unknown, revoked, expired, malformed. `unavailable`: the store cannot say now. */
export type Refusal = "refused" | "unavailable";

export type AuthenticatorOptions = {
  /** `keys.pepper` of the configuration; must be the one that keys are created with. */
  readonly pepper?: string | undefined;
  /** Of what is known of keys. One that falls out costs one question to the store at its next use. */
  readonly memoryBytes: number;
};

export type AuthenticatorParts = {
  readonly storage: Pick<Storage, "keys" | "changes">;
  readonly clock: Pick<Time, "now" | "monotonic" | "every">;
  /** Told once when the store begins to fail; holds no key. */
  readonly onStoreFailure: (error: unknown) => void;
  /** The store misses changes that it had told of. */
  readonly onForgotten?: () => void;
};

/**
 * Turns an API key into who calls. A key that was seen before costs one look-up in memory. What any
 * process changes in the store is read again from POLL_MS later on; while the store fails, known keys
 * go on working.
 */
export class Authenticator {
  readonly #pepper: string | undefined;
  readonly #parts: AuthenticatorParts;
  readonly #uses: LastUsed;
  readonly #watches = new Watches();
  readonly #known: KnownKeys;
  readonly #changes = new RecentChanges();
  readonly #refused: LRUCache<string, true>;
  readonly #asked = new Map<string, Promise<Identity | Refusal>>();
  /** Watched keys to be read again at the next poll, whether or not they changed. */
  readonly #doubtful = new Set<string>();
  #seq: number | undefined;
  #failing = false;
  #polling: Promise<void> | undefined;
  #stopPolling: () => void = () => undefined;

  constructor(options: AuthenticatorOptions, parts: AuthenticatorParts) {
    this.#pepper = options.pepper;
    this.#parts = parts;
    this.#uses = new LastUsed(parts.storage.keys);
    this.#known = new KnownKeys(options.memoryBytes);
    this.#refused = new LRUCache({
      max: Math.min(REFUSED_KEYS, Math.ceil(options.memoryBytes / REFUSED_SHARE)),
      ttl: REFUSED_TTL_MS,
      ttlResolution: 0,
      perf: { now: parts.clock.monotonic },
    });
  }

  /** Begins to follow the store's changes; the first poll is done when this resolves. */
  async start(): Promise<void> {
    this.#stopPolling = this.#parts.clock.every(POLL_MS, () => void this.poll());
    await this.poll();
  }

  /** Ends the polling and writes the last-used times that are due. */
  async stop(): Promise<void> {
    this.#stopPolling();
    await this.#polling;
    await this.#uses.stop();
  }

  /** The identity behind a key that was seen before, and has not changed since. */
  known(rawKey: string): Identity | Refusal | undefined {
    const known = this.#known.get(rawKey);
    if (known === undefined) return undefined;
    if (this.#changes.isStale(known.identity, known.readAt)) return undefined;
    known.readAt = this.#changes.count;
    known.isUsed = true;
    return this.#admit(known);
  }

  /** For `watch`: the state of keys that is known now. */
  get moment(): number {
    return this.#changes.count;
  }

  /** Answers at once for a key that was seen before, with a promise for one that was not. */
  authenticate(rawKey: string): Identity | Refusal | Promise<Identity | Refusal> {
    const known = this.known(rawKey);
    if (known !== undefined) return known;
    if (!isApiKey(rawKey) || this.#refused.get(rawKey)) return "refused";
    const asked = this.#asked.get(rawKey);
    if (asked !== undefined) return asked;
    if (this.#asked.size >= LOOK_UPS_IN_THE_AIR) return "unavailable";
    const key = ownText(rawKey);
    const answer = this.#lookUp(key).finally(() => this.#asked.delete(key));
    this.#asked.set(key, answer);
    return answer;
  }

  /**
   * For holders that stay, such as a WebSocket: tells each change of the key or its account (a new
   * plan, a suspension), and at last that the key was revoked or has expired. `moment`: one at which the
   * identity was not asked for yet. Returns what ends it.
   */
  watch(identity: Identity, moment: number, listener: WatchListener): () => void {
    if (this.#changes.isStale(identity, moment)) this.#doubtful.add(identity.keyId);
    return this.#watches.add(identity, listener);
  }

  /** Learns what changed in the store since the last time. Never rejects; one at a time. */
  poll(): Promise<void> {
    this.#polling ??= this.#poll().finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  #admit(known: KnownKey): Identity | Refusal {
    const now = this.#parts.clock.now();
    if (isExpired(known.identity, now)) return "refused";
    this.#uses.mark(known, now);
    return known.identity;
  }

  async #lookUp(key: string): Promise<Identity | Refusal> {
    const hash = hashApiKey(key, this.#pepper);
    try {
      for (;;) {
        const readAt = this.#changes.count;
        const found = await this.#parts.storage.keys.findByHash(hash);
        // Changed meanwhile: the answer may be older than the change, and nothing would tell.
        if (readAt !== this.#changes.count) continue;
        const record = found && this.#known.withSharedAccount(found);
        const identity = identityOf(record, this.#parts.clock.now());
        if (record === undefined || identity === undefined) {
          this.#refused.set(key, true);
          return "refused";
        }
        const known = this.#known.add(key, identity, { readAt, record });
        return this.#admit(known);
      }
    } catch (error) {
      this.#storeFailed(error);
      return "unavailable";
    }
  }

  async #poll(): Promise<void> {
    this.#watches.tellExpired(this.#parts.clock.now());
    void this.#uses.flush();
    try {
      const news = await this.#parts.storage.changes.since(this.#seq);
      if (news.isForgotten) this.#parts.onForgotten?.();
      const concerns = matcher(news);
      if (concerns !== undefined) this.#refused.clear();
      this.#changes.add(news);
      const doubtful = new Set(this.#doubtful);
      await this.#readAgain(
        this.#watches.keyIds((each) => doubtful.has(each.keyId) || (concerns?.(each) ?? false)),
      );
      // Only now: where reading failed, the next poll is told the same changes again.
      for (const keyId of doubtful) this.#doubtful.delete(keyId);
      this.#seq = news.seq;
      this.#failing = false;
    } catch (error) {
      this.#storeFailed(error);
    }
  }

  async #readAgain(keyIds: readonly string[]): Promise<void> {
    for (const keyId of keyIds) {
      const record = await this.#parts.storage.keys.findById(keyId);
      this.#watches.tell(keyId, identityOf(record, this.#parts.clock.now()) ?? "refused");
    }
  }

  #storeFailed(error: unknown): void {
    if (!this.#failing) this.#parts.onStoreFailure(error);
    this.#failing = true;
  }
}

/** Which identities the changes concern; undefined where there are none. */
function matcher({ complete, changes }: Changes): ((identity: Identity) => boolean) | undefined {
  if (!complete) return () => true;
  if (changes.length === 0) return undefined;
  const keys = new Set(changes.map(({ keyId }) => keyId));
  const accounts = new Set(
    changes.filter(({ keyId }) => keyId === null).map(({ accountId }) => accountId),
  );
  return ({ keyId, accountId }) => keys.has(keyId) || accounts.has(accountId);
}

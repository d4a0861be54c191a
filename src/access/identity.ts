import type { UnixMs } from "../lib/clock.ts";
import type { KeyRecord, Limits } from "../storage/store.ts";
import { type AllowPolicy, compileAllowLists } from "./allow-lists.ts";

/** The caller: what later stages need to know of a key and its account. */
export type Identity = {
  readonly keyId: string;
  readonly accountId: string;
  /** The account's owner. */
  readonly email: string;
  /** A plan's name; what it grants stands in the configuration. */
  readonly plan: string;
  readonly operator: boolean;
  readonly suspended: boolean;
  /** The account's own, in place of its plan's. */
  readonly accountLimits: Limits;
  /** The key's own, within the account's. */
  readonly keyLimits: Limits;
  /** Undefined where the key may do all that its account may. */
  readonly allow: AllowPolicy | undefined;
  /** Unix milliseconds; from then on the key is refused. */
  readonly expiresAt?: number;
};

/** One object for all keys without limits, which are nearly all. */
const NO_LIMITS: Limits = Object.freeze({ creditsPerDay: null, creditsPerSecond: null });

/** Undefined where the key is unknown, revoked or expired: from outside all are the same. */
export function identityOf(record: KeyRecord | undefined, now: UnixMs): Identity | undefined {
  if (record === undefined) return undefined;
  const { key, account } = record;
  if (key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now)) return undefined;
  return {
    keyId: key.id,
    accountId: account.id,
    email: account.email,
    plan: account.plan,
    operator: account.operator,
    suspended: account.suspended,
    accountLimits: account.limits,
    keyLimits: isUnlimited(key.limits) ? NO_LIMITS : key.limits,
    allow: compileAllowLists(key.allow),
    ...(key.expiresAt === null ? {} : { expiresAt: key.expiresAt }),
  };
}

export const isUnlimited = ({ creditsPerDay, creditsPerSecond }: Limits): boolean =>
  creditsPerDay === null && creditsPerSecond === null;

export function isExpired(identity: Identity, now: UnixMs): boolean {
  return identity.expiresAt !== undefined && identity.expiresAt <= now;
}

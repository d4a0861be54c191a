import type { UnixMs } from "../lib/moments.ts";

/**
 * The stores of the dashboard beside accounts and keys: who else belongs to an account, what was
 * changed, and alerts. Times are Unix milliseconds. A page goes on where the last one ended,
 * whatever was added meanwhile; `next` is null on the last one, and a text that is no page's `next`
 * gets an empty page.
 */

/** Somebody who uses another one's account. */
export type Member = {
  readonly id: string;
  readonly accountId: string;
  /** As written; one member of an account without regard to case. ASCII. */
  readonly email: string;
  readonly addedAt: number;
  /** The e-mail of whoever did. */
  readonly addedBy: string;
};

/** Members end with their account. */
export type MemberStore = {
  /** False, and nothing written, where the account has that member already. One statement. */
  readonly add: (member: Member) => Promise<boolean>;
  /** Oldest first. */
  readonly list: (accountId: string) => Promise<readonly Member[]>;
  /** The memberships of this e-mail in all accounts, without regard to case, oldest first. */
  readonly ofEmail: (email: string) => Promise<readonly Member[]>;
  /** False where the account has no such member. */
  readonly remove: (accountId: string, id: string) => Promise<boolean>;
};

/** What an API token may be used for. */
export const TOKEN_SCOPES = ["keys:read", "keys:write", "usage:read"] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** By which a program, in place of a person, uses the dashboard's API for one account. */
export type ApiToken = {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** Of its text, which is kept nowhere. */
  readonly hash: string;
  /** The text's first characters. */
  readonly prefix: string;
  readonly scopes: readonly TokenScope[];
  readonly createdAt: number;
  /** The e-mail of whoever made it. */
  readonly createdBy: string;
  /** Refused from then on; null: never. */
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
};

/** Tokens end with their account. */
export type TokenStore = {
  /** False, and nothing written, where the account has `most` already. Counting and writing are one step. */
  readonly insert: (token: ApiToken, most: number) => Promise<boolean>;
  /** Also one that has expired. */
  readonly findByHash: (hash: string) => Promise<ApiToken | undefined>;
  /** Oldest first. */
  readonly list: (accountId: string) => Promise<readonly ApiToken[]>;
  /** False where the account has no such token. */
  readonly remove: (accountId: string, id: string) => Promise<boolean>;
  /** Moves the last-used time forward, never back. Nothing where the token is gone. */
  readonly recordUse: (id: string, at: number) => Promise<void>;
};

/** `user`: of the dashboard; `token`: a program with an API token; `command`: of the command line; `system`: the program by itself. */
export const ACTOR_KINDS = ["user", "token", "command", "system"] as const;
export type Actor = {
  readonly kind: (typeof ACTOR_KINDS)[number];
  /** Of a token: of the person who made it. */
  readonly email: string | null;
};

/** Few and small: which plan, which limit. Never a key, a password or an upstream's URL. */
export type AuditDetail = Readonly<Record<string, string | number | boolean | null>>;

/** One change: who made it, when and from where. */
export type AuditEntry = {
  readonly id: string;
  readonly at: number;
  /** Null: of no account, such as a node that an operator drains. */
  readonly accountId: string | null;
  readonly actor: Actor;
  /** Such as `key.create`; the names stand in src/access/audit-entry.ts. */
  readonly action: string;
  /** The id of what was changed. */
  readonly target: string | null;
  readonly detail: AuditDetail;
  readonly ip: string | null;
  /** The User-Agent header. */
  readonly agent: string | null;
};

export type PageRequest = {
  /** The last page's `next`. */
  readonly before?: string | undefined;
  readonly limit: number;
};

/** Entries stay when their account goes, and are dropped with the usage of days. */
export type AuditStore = {
  readonly append: (entry: AuditEntry) => Promise<void>;
  /** Latest first; of one account, or all. */
  readonly page: (
    request: PageRequest & { readonly accountId?: string | undefined },
  ) => Promise<{ readonly entries: readonly AuditEntry[]; readonly next: string | null }>;
};

export type AlertSettings = {
  readonly accountId: string;
  /** Per cent of the day's credits. */
  readonly thresholds: readonly number[];
  readonly emails: readonly string[];
  /** `secret` signs what is sent to it. */
  readonly webhook: { readonly url: string; readonly secret: string } | null;
};

/** A threshold that an account reaches, once a UTC day. */
export type Alert = {
  readonly accountId: string;
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly threshold: number;
};

export type DeliveryState = "pending" | "sent" | "failed";

/** An alert on its way to one e-mail address or webhook. */
export type AlertDelivery = Alert & {
  readonly id: string;
  readonly at: number;
  readonly to: "email" | "webhook";
  /** The address, or the URL. */
  readonly target: string;
  /** The text of the message, written once, so that each attempt says the same. */
  readonly payload: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** When it is tried next; null once it is settled for good. */
  readonly nextAt: number | null;
  readonly lastError: string | null;
};

export type DeliveryResult = Pick<AlertDelivery, "state" | "attempts" | "nextAt" | "lastError">;

/** Settings and deliveries end with their account. */
export type AlertStore = {
  readonly read: (accountId: string) => Promise<AlertSettings | undefined>;
  /** In place of the account's former ones. */
  readonly write: (settings: AlertSettings) => Promise<void>;
  readonly list: () => Promise<readonly AlertSettings[]>;
  /**
   * True once for each alert, in any number of processes; its deliveries are written with it, all
   * or nothing, so that a process that dies loses none.
   */
  readonly claim: (alert: Alert, deliveries: readonly AlertDelivery[]) => Promise<boolean>;
  /**
   * Takes pending deliveries whose time has come, most overdue first: no other process gets them
   * within `holdMs`, unless they are settled as pending before.
   */
  readonly due: (request: {
    readonly now: UnixMs;
    readonly limit: number;
    readonly holdMs: number;
  }) => Promise<readonly AlertDelivery[]>;
  /** How an attempt ended. Nothing where the delivery is gone. */
  readonly settle: (id: string, result: DeliveryResult) => Promise<void>;
  /** Latest first. */
  readonly page: (
    accountId: string,
    request: PageRequest,
  ) => Promise<{ readonly deliveries: readonly AlertDelivery[]; readonly next: string | null }>;
};

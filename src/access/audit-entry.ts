import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Actor, AuditDetail, AuditEntry } from "../storage/console-stores.ts";
import type { AllowLists } from "../storage/store.ts";
import { redactKeys } from "../telemetry/redact.ts";
import { createId } from "./ids.ts";

/** Everything that is written down, by the dashboard and by the command line. */
export const AUDIT_ACTIONS = [
  "account.create",
  "account.plan",
  "account.limits",
  "account.credit",
  "account.repair",
  "account.suspend",
  "account.resume",
  "account.delete",
  "account.link",
  "key.create",
  "key.name",
  "key.limits",
  "key.allow",
  "key.rotate",
  "key.revoke",
  "member.add",
  "member.remove",
  "token.create",
  "token.revoke",
  "alerts.change",
  "alerts.test",
  "upstream.drain",
  "upstream.enable",
  "user.sign_up",
  "user.sign_in",
  "user.sign_in_failed",
  "user.sign_out",
  "user.email_verify",
  "user.password_change",
  "user.password_reset",
  "user.two_factor_enable",
  "user.two_factor_disable",
  "user.passkey_add",
  "user.passkey_remove",
  "user.session_revoke",
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The command line knows the machine's user at most, which is nobody that the store knows. */
export const COMMAND_ACTOR: Actor = Object.freeze({ kind: "command", email: null });

/** The change that was made; the rest of the entry is made up. */
export type AuditEvent = {
  /** Null: of no account. */
  readonly accountId: string | null;
  readonly actor: Actor;
  readonly action: AuditAction;
  /** The id of what was changed. */
  readonly target: string | null;
  readonly detail?: AuditDetail;
  readonly ip?: string | null;
  readonly agent?: string | null;
};

/** A text in an entry is cut there: a header or a name must not fill the store. */
const LONGEST_TEXT = 300;

/** An entry of the audit log. Whatever a client sent, no key's text stands in it. */
export function auditEntry(
  { clock, random }: { readonly clock: Pick<Clock, "now">; readonly random: Random },
  { accountId, actor, action, target, detail = {}, ip = null, agent = null }: AuditEvent,
): AuditEntry {
  const details = Object.entries(detail).map(([name, value]) => [
    name,
    typeof value === "string" ? clean(value) : value,
  ]);
  return {
    id: createId("aud", random),
    at: clock.now(),
    accountId,
    actor,
    action,
    target: target === null ? null : clean(target),
    detail: Object.fromEntries(details),
    ip,
    agent: agent === null ? null : clean(agent),
  };
}

/** A key's lists after a change, as an entry tells them. */
export function listsDetail(lists: AllowLists): AuditDetail {
  const told = Object.entries(lists).map(([kind, entries]) => [kind, entries.join(", ")]);
  return told.length === 0 ? { lists: "none" } : Object.fromEntries(told);
}

/** Redacted before it is cut: half a key would not be known as one. */
const clean = (text: string): string => redactKeys(text).slice(0, LONGEST_TEXT);

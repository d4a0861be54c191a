import { DURATION_FORM, parseDuration } from "../config/duration.ts";
import type { Account } from "../storage/store.ts";
import { redactKeys } from "../telemetry/redact.ts";
import { EXPLORER_KEY_NAME } from "./explorer-key.ts";

/** The value of a text, or its fault and the right form, for people. */
export type Read<Value> = { readonly value: Value } | { readonly fault: string };

/** The form that browsers take in `<input type=email>` (WHATWG HTML, valid e-mail address); ASCII only. */
const EMAIL =
  /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i;
/** RFC 5321, 4.5.3.1.3: a path of 256 octets with its angle brackets. */
const EMAIL_MAX_LENGTH = 254;
const NAME_MAX_LENGTH = 100;
/** Beyond every plan, and far enough from 2^53 that sums of them stay exact. */
const MOST_CREDITS = 1_000_000_000_000;
const LONGEST_OVERLAP = "1y";

export function emailFault(email: string): string | undefined {
  if (email.length <= EMAIL_MAX_LENGTH && EMAIL.test(email)) return undefined;
  return `${JSON.stringify(email)} is no e-mail address; one looks like ada@example.com`;
}

/** `plans`: those of the configuration. */
export function planFault(
  plans: Readonly<Record<string, unknown>>,
  plan: string,
): string | undefined {
  if (Object.hasOwn(plans, plan)) return undefined;
  return `there is no plan ${JSON.stringify(plan)}; the plans are ${Object.keys(plans).join(", ")}`;
}

export function keyNameFault(name: string): string | undefined {
  if (name.trim() === EXPLORER_KEY_NAME) {
    return `${EXPLORER_KEY_NAME} is the explorer's own key; choose another name`;
  }
  return nameFault(name, "a key");
}

/** `of` whose name it is. */
export function nameFault(name: string, of: "a key" | "an API token"): string | undefined {
  if (redactKeys(name) !== name) return `${of}'s name must not hold a key`;
  if (name.trim() !== "" && name.length <= NAME_MAX_LENGTH && !/\p{Cc}/u.test(name)) {
    return undefined;
  }
  return `${of}'s name is 1 to ${NAME_MAX_LENGTH} printable characters, such as "backend"`;
}

/** `least` 0 where no credits are a value, too. */
export function isCredits(credits: number, least: 0 | 1): boolean {
  return Number.isInteger(credits) && credits >= least && credits <= MOST_CREDITS;
}

/** The right form where `isCredits` says no. */
export function creditsForm(least: 0 | 1): string {
  const most = MOST_CREDITS.toLocaleString("en-US");
  return `give a whole number from ${least} to ${most}, such as 3000000`;
}

/** `2026-12-31`: the beginning of that day in UTC, Unix milliseconds. */
export function readDate(text: string): Read<number> {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse takes 2026-02-30 for March 2.
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(text)) return { value: time };
  return { fault: `${JSON.stringify(text)} is no date; one looks like 2026-12-31` };
}

/** How long a rotated key works beside the new one: `24h`, in milliseconds. */
export function readOverlap(text: string): Read<number> {
  const overlapMs = parseDuration(text);
  if (overlapMs !== undefined && overlapMs <= (parseDuration(LONGEST_OVERLAP) ?? 0)) {
    return { value: overlapMs };
  }
  const fault = `${JSON.stringify(text)} is no overlap; ${DURATION_FORM}, ${LONGEST_OVERLAP} at most`;
  return { fault };
}

/** Why an account gets no further key. */
export function tooManyKeys(
  { email, plan }: Pick<Account, "email" | "plan">,
  maxKeys: number | undefined,
): string {
  return (
    `${email} has ${maxKeys} active keys, as many as plan ${plan} allows; ` +
    "revoke one, or move the account to another plan"
  );
}

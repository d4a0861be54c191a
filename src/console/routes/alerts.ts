import { emailFault } from "../../access/account-checks.ts";
import { createId } from "../../access/ids.ts";
import { DAY_MS } from "../../lib/day.ts";
import type { AlertDelivery, AlertSettings } from "../../storage/console-stores.ts";
import type { Account } from "../../storage/store.ts";
import { accountBalance } from "../../usage/account-usage.ts";
import { alertMessage } from "../alerts/alert-message.ts";
import { AlertSender } from "../alerts/alert-sender.ts";
import { webhookFault } from "../alerts/webhook-call.ts";
import { newWebhookSecret } from "../alerts/webhook-signature.ts";
import type { ApiParts } from "../api/parts.ts";
import { Problem } from "../api/problem.ts";
import { type BoundRoute, bind } from "../api/route.ts";
import {
  type AlertSettingsBody,
  type AlertSettingsView,
  listDeliveries,
  readAlerts,
  type Threshold,
  testAlerts,
  writeAlerts,
} from "../contract/alerts.ts";
import { THRESHOLDS } from "../contract/constants.ts";
import type { MailTurns } from "../mail/mail-turns.ts";

export function alertRoutes(parts: ApiParts, turns: MailTurns): BoundRoute[] {
  const { storage } = parts;
  return [
    bind(readAlerts, async ({ account }) => view(await settingsOf(parts, account))),
    writing(parts),
    trial(parts, turns),
    bind(listDeliveries, async ({ account, query: { after, limit } }) => {
      const page = await storage.alerts.page(account.id, { before: after, limit });
      return { items: page.deliveries.map(deliveryView), next: page.next };
    }),
  ];
}

function writing(parts: ApiParts): BoundRoute {
  const { storage, random, console } = parts;
  return bind(writeAlerts, async ({ account, body, note }) => {
    check(body, console.privateWebhooks);
    const before = await settingsOf(parts, account);
    const url = body.webhook?.url;
    const isNew = url !== undefined && url !== before.webhook?.url;
    const secret = isNew ? newWebhookSecret(random) : before.webhook?.secret;
    const settings: AlertSettings = {
      accountId: account.id,
      thresholds: THRESHOLDS.filter((each) => body.thresholds.includes(each)),
      emails: distinct(body.emails),
      webhook: url === undefined || secret === undefined ? null : { url, secret },
    };
    await storage.alerts.write(settings);
    const detail = {
      thresholds: settings.thresholds.join(", "),
      emails: settings.emails.join(", "),
      webhook: url === undefined ? null : new URL(url).host,
    };
    note({ action: "alerts.change", target: account.id, detail });
    return { ...view(settings), ...(isNew && { secret }) };
  });
}

function trial(parts: ApiParts, turns: MailTurns): BoundRoute {
  const { storage, clock, config, random } = parts;
  const sender = new AlertSender(parts);
  return bind(testAlerts, async ({ account, note }) => {
    turns.take(account.id);
    const settings = await settingsOf(parts, account);
    const now = clock.now();
    const balance = await accountBalance({ storage, plans: config.plans }, account, now);
    const [threshold] = THRESHOLDS;
    const message = alertMessage("usage.test", { account, balance, threshold, now });
    const { emails, webhook } = settings;
    const mails = emails.map((email) => outcome(sender.mail(email, message)));
    const id = createId("del", random);
    const body = JSON.stringify(message);
    const post = webhook === null ? "none" : outcome(sender.post(webhook, { id, body }));
    const results = await Promise.all([post, ...mails]);
    const [posted = "none", ...mailed] = results;
    const email = mailed.find((result) => result !== "sent") ?? mailed[0] ?? "none";
    note({ action: "alerts.test", target: account.id, detail: { email, webhook: posted } });
    return { email, webhook: posted };
  });
}

/** `sent`, or what went wrong. */
async function outcome(work: Promise<void>): Promise<string> {
  try {
    await work;
    return "sent";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function settingsOf({ storage }: ApiParts, { id }: Account): Promise<AlertSettings> {
  const settings = await storage.alerts.read(id);
  return settings ?? { accountId: id, thresholds: [], emails: [], webhook: null };
}

/** @throws Problem that names the first wrong part */
function check({ emails, webhook }: AlertSettingsBody, allowPrivate: boolean): void {
  for (const [place, email] of emails.entries()) {
    const fault = emailFault(email);
    if (fault !== undefined) {
      throw new Problem("bad_request", fault, { field: `body.emails.${place}` });
    }
  }
  const fault = webhook && webhookFault(webhook.url, allowPrivate);
  if (typeof fault !== "string") return;
  throw new Problem("bad_request", `the webhook ${fault}`, { field: "body.webhook.url" });
}

/** Without what differs in its case alone. */
function distinct(emails: readonly string[]): string[] {
  return [...new Map(emails.map((email) => [email.toLowerCase(), email])).values()];
}

function view({ thresholds, emails, webhook }: AlertSettings): AlertSettingsView {
  return {
    thresholds: thresholds as Threshold[],
    emails: [...emails],
    webhook: webhook && { url: webhook.url },
  };
}

function deliveryView({ id, at, day, target, to, ...rest }: AlertDelivery) {
  const { threshold, state, attempts, lastError } = rest;
  return {
    ...{ id, threshold, to, state, attempts, lastError },
    at: new Date(at).toISOString(),
    day: new Date(day * DAY_MS).toISOString().slice(0, 10),
    // The path of a webhook may be a secret.
    target: to === "email" ? target : new URL(target).host,
  };
}

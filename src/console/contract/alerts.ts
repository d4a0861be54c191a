import { z } from "zod";
import { accountParams, day, email, id, nothing, pageOf, pageQuery, time } from "./common.ts";
import { MOST_ALERT_EMAILS, THRESHOLDS } from "./constants.ts";
import { defineRoute } from "./route.ts";

export const threshold = z.literal(THRESHOLDS);
export type Threshold = z.output<typeof threshold>;

const settings = {
  /** Per cent of the day's credits; none: no alerts. */
  thresholds: z.array(threshold).max(THRESHOLDS.length),
  emails: z.array(email).max(MOST_ALERT_EMAILS),
};

export const alertSettings = z.object({
  ...settings,
  webhook: z.object({ url: z.string() }).nullable(),
});
export type AlertSettingsView = z.output<typeof alertSettings>;

export const alertSettingsBody = z.strictObject({
  ...settings,
  webhook: z.strictObject({ url: z.string().min(1).max(2000) }).nullable(),
});
export type AlertSettingsBody = z.output<typeof alertSettingsBody>;

/** `secret` signs the webhook's messages; it is shown when a webhook is new or has another URL. */
export const writtenAlertSettings = alertSettings.extend({ secret: z.string().optional() });
export type WrittenAlertSettings = z.output<typeof writtenAlertSettings>;

/** `sent`, `none` where nobody is to be told this way, else what went wrong. */
export const alertTest = z.object({ email: z.string(), webhook: z.string() });
export type AlertTest = z.output<typeof alertTest>;

export const delivery = z.object({
  id: id("del"),
  at: time,
  threshold: z.int(),
  /** UTC. */
  day,
  to: z.enum(["email", "webhook"]),
  /** The e-mail, or the webhook's host. */
  target: z.string(),
  state: z.enum(["pending", "sent", "failed"]),
  attempts: z.int().min(0),
  lastError: z.string().nullable(),
});
export type Delivery = z.output<typeof delivery>;

const url = "/api/accounts/:account/alerts";

export const readAlerts = defineRoute({
  id: "readAlerts",
  method: "GET",
  url,
  access: "member",
  summary: "Who is notified at which share of the day's credits",
  params: accountParams,
  status: 200,
  reply: alertSettings,
});

export const writeAlerts = defineRoute({
  id: "writeAlerts",
  method: "PUT",
  url,
  access: "owner",
  summary: "Sets who is notified at which share of the day's credits",
  params: accountParams,
  body: alertSettingsBody,
  status: 200,
  reply: writtenAlertSettings,
  audit: ["alerts.change"],
});

export const testAlerts = defineRoute({
  id: "testAlerts",
  method: "POST",
  url: `${url}/test`,
  access: "owner",
  summary: "Sends a test message to every e-mail and the webhook now",
  params: accountParams,
  body: nothing,
  status: 200,
  reply: alertTest,
  audit: ["alerts.test"],
});

export const listDeliveries = defineRoute({
  id: "listDeliveries",
  method: "GET",
  url: `${url}/deliveries`,
  access: "member",
  summary: "The alerts that were sent or are due, newest first",
  params: accountParams,
  query: pageQuery,
  status: 200,
  reply: pageOf(delivery),
});

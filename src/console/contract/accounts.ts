import { z } from "zod";
import { accountParams, day, id, time, whole } from "./common.ts";
import { defineRoute } from "./route.ts";
import { role } from "./session.ts";

/** The fields of an account that members and operators are shown. */
export const accountFields = {
  id: id("acc"),
  /** The owner's. */
  email: z.string(),
  plan: z.string(),
  suspended: z.boolean(),
  operator: z.boolean(),
  created: time,
  /** Its own limits, else its plan's. */
  limits: z.object({ creditsPerDay: whole, creditsPerSecond: whole }),
  /** Keys that it may have at a time; null: any number. */
  maxKeys: whole.nullable(),
};

export const account = z.object({ ...accountFields, role });
export type Account = z.output<typeof account>;

export const balance = z.object({
  /** UTC. */
  day,
  /** Credits of the day, those that were added to it included. */
  limit: whole,
  used: whole,
  left: whole,
  /** Until 00:00 UTC. */
  resetSeconds: whole,
  /** Credits a minute over the last 15 minutes. */
  perMinute: whole,
  /** When the day's credits end at this pace; null where they last until the reset. */
  endsAt: time.nullable(),
});
export type Balance = z.output<typeof balance>;

export const readAccount = defineRoute({
  id: "readAccount",
  method: "GET",
  url: "/api/accounts/:account",
  access: "member",
  summary: "An account, its plan and its limits",
  params: accountParams,
  status: 200,
  reply: account,
});

export const readBalance = defineRoute({
  id: "readBalance",
  method: "GET",
  url: "/api/accounts/:account/balance",
  access: "member",
  scope: "usage:read",
  summary: "The credits of this UTC day, and how long they last at the present pace",
  params: accountParams,
  status: 200,
  reply: balance,
});

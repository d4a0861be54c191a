import { z } from "zod";
import { accountFields, balance } from "./accounts.ts";
import {
  credits,
  email,
  id,
  limitChanges,
  limits,
  listReply,
  pageOf,
  pageQuery,
  time,
  whole,
} from "./common.ts";
import { FLEET_RANGES } from "./constants.ts";
import { defineRoute } from "./route.ts";

export const operatorAccount = z.object({
  ...accountFields,
  /** In place of its plan's. */
  ownLimits: limits,
  today: z.object({ used: whole, limit: whole }),
  keys: z.object({ all: whole, active: whole }),
});
export type OperatorAccount = z.output<typeof operatorAccount>;

const used = { calls: whole, failed: whole, credits: whole };

export const allUsage = z.object({
  from: time,
  to: time,
  /** Of all that called. */
  all: z.object({ ...used, accounts: whole }),
  /** The largest, by credits. */
  accounts: z.array(
    z.object({
      id: id("acc"),
      /** Null: the account has been deleted. */
      email: z.string().nullable(),
      plan: z.string().nullable(),
      ...used,
    }),
  ),
});
export type AllUsage = z.output<typeof allUsage>;

export const plan = z.object({
  name: z.string(),
  dailyCredits: whole,
  creditsPerSecond: whole,
  /** Whether its calls may go to a partner when no node of one's own can answer. */
  failover: z.boolean(),
  maxKeys: whole.nullable(),
});
export type PlanView = z.output<typeof plan>;

const params = z.object({ id: id("acc") });
const url = "/api/operator/accounts";
const planName = z
  .string()
  .min(1)
  .max(100)
  .meta({ examples: ["free"] });

export const listAccounts = defineRoute({
  id: "listAccounts",
  method: "GET",
  url,
  access: "operator",
  summary: "All accounts, oldest first, or those whose e-mail or id holds a text",
  query: pageQuery.extend({ search: z.string().max(254).optional() }),
  status: 200,
  reply: pageOf(operatorAccount),
});

export const createAccount = defineRoute({
  id: "createAccount",
  method: "POST",
  url,
  access: "operator",
  summary: "Creates an account for somebody and invites them by e-mail",
  body: z.strictObject({ email, plan: planName }),
  status: 201,
  reply: operatorAccount,
  audit: ["account.create"],
});

export const readOperatorAccount = defineRoute({
  id: "readOperatorAccount",
  method: "GET",
  url: `${url}/:id`,
  access: "operator",
  summary: "Any account, as operators see it",
  params,
  status: 200,
  reply: operatorAccount,
});

export const changeAccount = defineRoute({
  id: "changeAccount",
  method: "PATCH",
  url: `${url}/:id`,
  access: "operator",
  summary: "Moves an account to another plan, suspends it, or gives it limits of its own",
  params,
  body: z.strictObject({
    plan: planName.optional(),
    suspended: z.boolean().optional(),
    limits: limitChanges.optional(),
  }),
  status: 200,
  reply: operatorAccount,
  audit: ["account.plan", "account.limits", "account.suspend", "account.resume"],
});

export const creditAccount = defineRoute({
  id: "creditAccount",
  method: "POST",
  url: `${url}/:id/credit`,
  access: "operator",
  summary: "Adds credits to the balance of this UTC day",
  params,
  body: z.strictObject({ credits }),
  status: 200,
  reply: balance,
  audit: ["account.credit"],
});

export const readAllUsage = defineRoute({
  id: "readAllUsage",
  method: "GET",
  url: "/api/operator/usage",
  access: "operator",
  summary: "What all accounts used, and those that used most",
  query: z.strictObject({ range: z.enum(FLEET_RANGES).default("24h") }),
  status: 200,
  reply: allUsage,
});

export const listPlans = defineRoute({
  id: "listPlans",
  method: "GET",
  url: "/api/operator/plans",
  access: "operator",
  summary: "The plans of the configuration",
  status: 200,
  reply: listReply(plan),
});

import { z } from "zod";
import { OTHER_KEYS } from "../../storage/usage-store.ts";
import { balance } from "./accounts.ts";
import { accountParams, id, listReply, time, whole } from "./common.ts";
import { MINUTE_RANGES, RANGES, SERIES_BY } from "./constants.ts";
import { defineRoute } from "./route.ts";

export const range = z.enum(RANGES);
export type Range = z.output<typeof range>;
export const seriesBy = z.enum(SERIES_BY);
export type SeriesBy = z.output<typeof seriesBy>;

const filters = {
  /** A key's id. */
  key: z.string().min(1).max(100).optional(),
  network: z.string().min(1).max(100).optional(),
};

export const series = z.object({
  /** A method, network, key's id or outcome; `other` of all that are not among the largest. */
  name: z.string(),
  calls: z.array(whole),
  credits: z.array(whole),
  /** Calls that were not answered: their outcome is an error's name. */
  failed: z.array(whole),
});
export type Series = z.output<typeof series>;

export const usageSeries = z.object({
  range,
  from: time,
  to: time,
  stepMs: z.int().min(1),
  /** Where each step begins, UTC; as many as the numbers of each series. */
  times: z.array(time),
  /** Largest first, by calls. */
  series: z.array(series),
});
export type UsageSeries = z.output<typeof usageSeries>;

export const usageRow = z.object({
  network: z.string(),
  method: z.string(),
  calls: whole,
  /** Answered, by a node of one's own or by a partner. */
  ok: whole,
  failed: whole,
  credits: whole,
  /** Bytes of answers. */
  bytes: whole,
  /** The mean of its calls. */
  latencyMs: z.number().min(0),
  /** Calls by outcome: `ok`, `partner`, or a name of the error table. */
  outcomes: z.record(z.string(), whole),
});
export type UsageRow = z.output<typeof usageRow>;

export const usageTable = z.object({ from: time, to: time, rows: z.array(usageRow) });
export type UsageTable = z.output<typeof usageTable>;

export const contractCalls = z.object({
  network: z.string(),
  contract: z.string(),
  /** An estimate. */
  calls: whole,
});
export type ContractCalls = z.output<typeof contractCalls>;

export const exportRow = z.object({
  /** Where its minute or hour begins. */
  at: time,
  /** `other`: of keys that called now and then while very many did. */
  key: z.union([id("key"), z.literal(OTHER_KEYS)]),
  keyName: z.string(),
  network: z.string(),
  method: z.string(),
  outcome: z.string(),
  calls: whole,
  credits: whole,
  bytes: whole,
  latencyMs: z.number().min(0),
});
export type ExportRow = z.output<typeof exportRow>;

/** The data of an event `usage`. */
export const liveUsage = z.object({ balance, recent: z.array(usageRow) });
export type LiveUsage = z.output<typeof liveUsage>;

export const readUsageSeries = defineRoute({
  id: "readUsageSeries",
  method: "GET",
  url: "/api/accounts/:account/usage/series",
  access: "member",
  scope: "usage:read",
  summary: "Calls, credits and failures over time, split by method, network, key or outcome",
  params: accountParams,
  query: z.strictObject({
    range: range.default("1h"),
    by: seriesBy.default("method"),
    ...filters,
  }),
  status: 200,
  reply: usageSeries,
});

export const readUsageTable = defineRoute({
  id: "readUsageTable",
  method: "GET",
  url: "/api/accounts/:account/usage/table",
  access: "member",
  scope: "usage:read",
  summary: "Calls, outcomes, credits and latency of each network and method, dearest first",
  params: accountParams,
  query: z.strictObject({ range: range.default("1h"), ...filters }),
  status: 200,
  reply: usageTable,
});

export const readContracts = defineRoute({
  id: "readContracts",
  method: "GET",
  url: "/api/accounts/:account/usage/contracts",
  access: "member",
  scope: "usage:read",
  summary: "The contracts that eth_call named most",
  params: accountParams,
  query: z.strictObject({ range: z.enum(MINUTE_RANGES).default("1h") }),
  status: 200,
  reply: listReply(contractCalls),
});

export const exportUsage = defineRoute({
  id: "exportUsage",
  method: "GET",
  url: "/api/accounts/:account/usage/export",
  access: "member",
  scope: "usage:read",
  summary: "The usage as a file: a table (CSV) or a list (JSON) of rows",
  params: accountParams,
  query: z.strictObject({ range: range.default("24h"), format: z.enum(["csv", "json"]) }),
  status: 200,
  reply: exportRow,
  stream: "file",
});

export const streamUsage = defineRoute({
  id: "streamUsage",
  method: "GET",
  url: "/api/accounts/:account/live",
  access: "member",
  scope: "usage:read",
  summary: "Server-sent events `usage`: balance and recent calls, at once and when they change",
  params: accountParams,
  status: 200,
  reply: z.object({ usage: liveUsage }),
  stream: "events",
});

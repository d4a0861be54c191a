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

const name = z.string().min(1).max(100).optional();
const filters = {
  key: name.meta({ description: "a key's id" }),
  network: name,
  method: name,
  outcome: name,
};

/** A range up to now, or any span between two times. */
const span = {
  range: range.optional(),
  from: time.optional().meta({ description: "in place of `range`" }),
  to: time.optional().meta({ description: "with `from`; without it, now" }),
};
export type SpanQuery = {
  readonly range?: Range | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
};

export const series = z.object({
  /** A method, network, key's id or outcome; `other` of all that are not among the largest. */
  name: z.string(),
  calls: z.array(whole),
  credits: z.array(whole),
  /** Calls that were neither answered nor reverted. */
  failed: z.array(whole),
});
export type Series = z.output<typeof series>;

export const steps = {
  from: time,
  to: time,
  stepMs: z.int().min(1),
  /** Where each step begins, UTC; as many as the numbers of each series. */
  times: z.array(time),
};

export const usageSeries = z.object({
  /** Null: of two times. */
  range: range.nullable(),
  ...steps,
  /** Largest first, by calls. */
  series: z.array(series),
});
export type UsageSeries = z.output<typeof usageSeries>;

const percentile = z.number().min(0).nullable();
/** Milliseconds; null where no call was timed. From counts of spans of time: docs/usage.md */
const percentiles = { p50: percentile, p95: percentile, p99: percentile };
export const latency = z.object(percentiles);
export type Latency = z.output<typeof latency>;

export const latencyOverTime = {
  /** Of each step. */
  p50: z.array(percentile),
  p95: z.array(percentile),
  p99: z.array(percentile),
  /** Of the whole span. */
  whole: latency,
};

export const usageLatency = z.object({ ...steps, ...latencyOverTime });
export type UsageLatency = z.output<typeof usageLatency>;

export const usageRow = z.object({
  network: z.string(),
  method: z.string(),
  calls: whole,
  /** Answered, by a node of one's own or by a partner. */
  ok: whole,
  /** The chain's own answer: the call was carried out, and failed there. */
  reverted: whole,
  failed: whole,
  credits: whole,
  /** Bytes of answers. */
  bytes: whole,
  /** The mean of its calls. */
  latencyMs: z.number().min(0),
  ...percentiles,
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
  query: z.strictObject({ ...span, by: seriesBy.default("method"), ...filters }),
  status: 200,
  reply: usageSeries,
});

export const readUsageTable = defineRoute({
  id: "readUsageTable",
  method: "GET",
  url: "/api/accounts/:account/usage/table",
  access: "member",
  scope: "usage:read",
  summary: "Calls, outcomes, credits and latency of each network and method, most expensive first",
  params: accountParams,
  query: z.strictObject({ ...span, ...filters }),
  status: 200,
  reply: usageTable,
});

export const readUsageLatency = defineRoute({
  id: "readUsageLatency",
  method: "GET",
  url: "/api/accounts/:account/usage/latency",
  access: "member",
  scope: "usage:read",
  summary: "How long calls took over time: the 50th, 95th and 99th percentile",
  params: accountParams,
  query: z.strictObject({ ...span, ...filters }),
  status: 200,
  reply: usageLatency,
});

export const readContracts = defineRoute({
  id: "readContracts",
  method: "GET",
  url: "/api/accounts/:account/usage/contracts",
  access: "member",
  scope: "usage:read",
  summary: "The contracts that eth_call called most",
  params: accountParams,
  query: z.strictObject({ ...span, range: z.enum(MINUTE_RANGES).optional() }),
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
  query: z.strictObject({ ...span, format: z.enum(["csv", "json"]) }),
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

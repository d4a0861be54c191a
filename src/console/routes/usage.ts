import type { UnixMs } from "../../lib/clock.ts";
import type { Account } from "../../storage/store.ts";
import type { ApiParts } from "../api/parts.ts";
import { type BoundRoute, bind } from "../api/route.ts";
import { MOST_SERIES } from "../contract/constants.ts";
import {
  exportUsage,
  type Range,
  readContracts,
  readUsageLatency,
  readUsageSeries,
  readUsageTable,
  type SpanQuery,
  streamUsage,
} from "../contract/usage.ts";
import { isoTime } from "../iso-time.ts";
import { usageLooks } from "../live/usage-looks.ts";
import { csvOf, jsonOf } from "../usage/usage-export.ts";
import { latencyOver } from "../usage/usage-latency.ts";
import { limitsOf, seriesOf, stepsOf } from "../usage/usage-series.ts";
import { askedSpan, type Span } from "../usage/usage-span.ts";
import { tableOf } from "../usage/usage-table.ts";

const MOST_CONTRACTS = 20;

export function usageRoutes(parts: ApiParts): BoundRoute[] {
  const looks = usageLooks(parts);
  return [
    series(parts),
    latency(parts),
    table(parts),
    contracts(parts),
    file(parts),
    bind(streamUsage, async ({ account }) => ({
      subscribe: (send) => looks.watch(account.id, send),
    })),
  ];
}

function series(parts: ApiParts): BoundRoute {
  const { storage } = parts;
  return bind(readUsageSeries, async ({ account, query }) => {
    const span = asked(query, "1h", parts);
    const points = await storage.usage.series({
      ...questionOf(account, query, span),
      ...{ by: query.by, top: MOST_SERIES },
    });
    return { range: rangeOf(query, "1h"), ...stepsOf(span), series: seriesOf(points, span) };
  });
}

function latency(parts: ApiParts): BoundRoute {
  const { storage } = parts;
  return bind(readUsageLatency, async ({ account, query }) => {
    const span = asked(query, "1h", parts);
    const points = await storage.usage.latencies(questionOf(account, query, span));
    return { ...stepsOf(span), ...latencyOver(points, span) };
  });
}

function table(parts: ApiParts): BoundRoute {
  const { storage } = parts;
  return bind(readUsageTable, async ({ account, query }) => {
    const span = asked(query, "1h", parts);
    const totals = await storage.usage.totals(questionOf(account, query, span));
    return { ...limitsOf(span), rows: tableOf(totals) };
  });
}

function contracts(parts: ApiParts): BoundRoute {
  const { storage } = parts;
  return bind(readContracts, async ({ account, query }) => {
    const { from, to } = asked(query, "1h", parts);
    const question = { accountId: account.id, from, to, limit: MOST_CONTRACTS };
    return { items: await storage.usage.topContracts(question) };
  });
}

function file(parts: ApiParts): BoundRoute {
  const { storage, clock } = parts;
  return bind(exportUsage, async ({ account, query }) => {
    const { format } = query;
    const span = asked(query, "24h", parts);
    const source = { storage, accountId: account.id, span };
    const isTable = format === "csv";
    const about =
      query.from === undefined
        ? `${query.range ?? "24h"}-${dayText(clock.now())}`
        : `${dayText(span.from)}-to-${dayText(span.to - 1)}`;
    return {
      fileName: `tollgate-usage-${about}.${format}`,
      type: isTable ? "text/csv; charset=utf-8" : "application/json; charset=utf-8",
      chunks: isTable ? csvOf(source) : jsonOf(source),
    };
  });
}

function asked(query: SpanQuery, fallback: Range, { clock, config }: ApiParts): Span {
  return askedSpan(query, fallback, { now: clock.now(), kept: config.usage.keep });
}

/** Null: between two times. */
const rangeOf = ({ range, from }: SpanQuery, fallback: Range): Range | null =>
  from === undefined ? (range ?? fallback) : null;

type Filters = Partial<Record<"key" | "network" | "method" | "outcome", string | undefined>>;

function questionOf(account: Pick<Account, "id">, filters: Filters, span: Span) {
  const { key, network, method, outcome } = filters;
  return { accountId: account.id, keyId: key, network, method, outcome, ...span };
}

const dayText = (at: UnixMs): string => isoTime(at).slice(0, 10);

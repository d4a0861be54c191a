import type { ApiParts } from "../api/parts.ts";
import { type BoundRoute, bind } from "../api/route.ts";
import { MOST_SERIES } from "../contract/constants.ts";
import {
  exportUsage,
  readContracts,
  readUsageSeries,
  readUsageTable,
  streamUsage,
} from "../contract/usage.ts";
import { isoTime } from "../iso-time.ts";
import { usageLooks } from "../live/usage-looks.ts";
import { csvOf, jsonOf } from "../usage/usage-export.ts";
import { seriesOf, timesOf } from "../usage/usage-series.ts";
import { spanOf } from "../usage/usage-span.ts";
import { tableOf } from "../usage/usage-table.ts";

const MOST_CONTRACTS = 20;

export function usageRoutes(parts: ApiParts): BoundRoute[] {
  const looks = usageLooks(parts);
  return [
    series(parts),
    table(parts),
    contracts(parts),
    file(parts),
    bind(streamUsage, async ({ account }) => ({
      subscribe: (send) => looks.watch(account.id, send),
    })),
  ];
}

function series({ storage, clock, config }: ApiParts): BoundRoute {
  return bind(readUsageSeries, async ({ account, query }) => {
    const { range, by, key: keyId, network } = query;
    const span = spanOf(range, clock.now(), config.usage.keep);
    const asked = { accountId: account.id, keyId, network, by, top: MOST_SERIES };
    const points = await storage.usage.series({ ...asked, ...span });
    return {
      range,
      ...limitsOf(span),
      stepMs: span.stepMs,
      times: timesOf(span).map(isoTime),
      series: seriesOf(points, span),
    };
  });
}

function table({ storage, clock, config }: ApiParts): BoundRoute {
  return bind(readUsageTable, async ({ account, query }) => {
    const { range, key: keyId, network } = query;
    const span = spanOf(range, clock.now(), config.usage.keep);
    const totals = await storage.usage.totals({ accountId: account.id, keyId, network, ...span });
    return { ...limitsOf(span), rows: tableOf(totals) };
  });
}

function contracts({ storage, clock, config }: ApiParts): BoundRoute {
  return bind(readContracts, async ({ account, query }) => {
    const { from, to } = spanOf(query.range, clock.now(), config.usage.keep);
    const asked = { accountId: account.id, from, to, limit: MOST_CONTRACTS };
    return { items: await storage.usage.topContracts(asked) };
  });
}

function file({ storage, clock, config }: ApiParts): BoundRoute {
  return bind(exportUsage, async ({ account, query }) => {
    const { range, format } = query;
    const now = clock.now();
    const source = {
      storage,
      accountId: account.id,
      span: spanOf(range, now, config.usage.keep),
    };
    const day = isoTime(now).slice(0, 10);
    const isTable = format === "csv";
    return {
      fileName: `tollgate-usage-${range}-${day}.${format}`,
      type: isTable ? "text/csv; charset=utf-8" : "application/json; charset=utf-8",
      chunks: isTable ? csvOf(source) : jsonOf(source),
    };
  });
}

function limitsOf({ from, to }: { readonly from: number; readonly to: number }) {
  return { from: isoTime(from), to: isoTime(to) };
}

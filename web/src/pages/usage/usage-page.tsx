import "./usage.css";
import { useCallback } from "preact/hooks";
import type { Balance } from "../../../../src/console/contract/accounts.ts";
import type { KeyView } from "../../../../src/console/contract/keys.ts";
import type { Networks } from "../../../../src/console/contract/session.ts";
import type {
  LiveUsage,
  UsageTable as UsageAnswer,
  UsageLatency,
  UsageRow,
  UsageSeries,
} from "../../../../src/console/contract/usage.ts";
import { apiUrl } from "../../api.ts";
import { useLive } from "../../live.ts";
import { useGet } from "../../load.ts";
import { useAccount } from "../../session.tsx";
import { Card, PageHead, Skeleton } from "../../ui/display.tsx";
import { Icon } from "../../ui/icon.tsx";
import { LoadFault, Notice } from "../../ui/notice.tsx";
import { BalanceCard } from "./balance-card.tsx";
import { ContractsCard } from "./contracts-card.tsx";
import { FirstCall } from "./first-call.tsx";
import { RequestCard } from "./request-card.tsx";
import { UsageChart } from "./usage-chart.tsx";
import { UsageFilters } from "./usage-filters.tsx";
import { UsageTable } from "./usage-table.tsx";
import { useRefresh } from "./use-refresh.ts";
import { type Filters, type UsageQuery, useUsageQuery } from "./use-usage.ts";

const SOON_MS = 1000;
const SHORT_RANGES: readonly string[] = ["15m", "1h", "24h"];
/** Steps of an hour: nobody sees what a second adds. */
const LATER_MS = 10_000;

/** What the account used, live: credits of the day, calls over time, by method and contract. */
export function UsagePage() {
  const { path } = useAccount();
  const query = useUsageQuery();
  const live = useLive<LiveUsage>(path("/live"), "usage");
  const balance = useGet<Balance>(path("/balance"));
  const keys = useGet<{ items: KeyView[] }>(path("/keys"));
  const networks = useGet<Networks>("/networks");
  const keyList = keys.data?.items ?? [];
  const shown = live.data?.balance ?? balance.data;
  return (
    <>
      <PageHead title="Usage">
        This account's calls, their cost and their errors. Counts appear within two seconds.
      </PageHead>
      {shown !== undefined && <BalanceCard balance={shown} live={live.state} />}
      {shown === undefined && balance.error === undefined && <Skeleton lines={4} />}
      {shown === undefined && balance.error !== undefined && (
        <LoadFault error={balance.error} retry={balance.reload} />
      )}
      <UsageBody query={query} news={live.data} keys={keyList} networks={networks.data} />
      <ContractsCard query={query} news={live.data} />
      <RequestCard path={path("/requests")} />
    </>
  );
}

type BodyProps = {
  readonly query: UsageQuery;
  readonly news: LiveUsage | undefined;
  readonly keys: readonly KeyView[];
  readonly networks: Networks | undefined;
};

/** Chart and table of what is chosen above them. */
function UsageBody({ query, news, keys, networks }: BodyProps) {
  const { series, table, reload } = useUsage(query, news);
  const { isFiltered, words } = query;
  const isRecent = "range" in query.span && query.span.range === "15m" && !isFiltered;
  const rows = (isRecent ? news?.recent : undefined) ?? table.data?.rows;
  const nameOf = useCallback(
    (name: string) => keys.find(({ id }) => id === name)?.name ?? name,
    [keys],
  );
  const filters = (
    <UsageFilters query={query} keys={keys} networks={networks?.networks ?? []} rows={rows ?? []} />
  );
  const error = series.error ?? table.error;
  if (series.data === undefined || rows === undefined) {
    return (
      <>
        {filters}
        {error === undefined ? <Skeleton lines={10} /> : <LoadFault error={error} retry={reload} />}
      </>
    );
  }
  if (rows.length === 0 && !isFiltered) {
    return (
      <>
        {filters}
        <Card>
          <FirstCall range={words} />
        </Card>
      </>
    );
  }
  return (
    <>
      {filters}
      {error !== undefined && <LoadFault error={error} retry={reload} />}
      <Card title="Over time" hint={`In ${words}.`}>
        {rows.length === 0 && (
          <Notice>No calls in {words} with these filters. Clear them, or look further back.</Notice>
        )}
        <UsageChart query={query} answer={series.data} nameOf={nameOf} />
      </Card>
      <TableCard rows={rows} query={query} />
    </>
  );
}

/** The chart's numbers and the table's rows, loaded again as calls come in. */
function useUsage({ span, by, measure, filters }: UsageQuery, news: LiveUsage | undefined) {
  const { path } = useAccount();
  const asked = { ...span, ...chosenOf(filters) };
  const isLatency = measure === "latency";
  const counts = useGet<UsageSeries>(isLatency ? null : path("/usage/series"), { ...asked, by });
  const times = useGet<UsageLatency>(isLatency ? path("/usage/latency") : null, asked);
  const table = useGet<UsageAnswer>(path("/usage/table"), asked);
  const series = isLatency ? times : counts;
  const { reload: reloadSeries } = series;
  const { reload: reloadTable } = table;
  const reload = useCallback(() => {
    reloadSeries();
    reloadTable();
  }, [reloadSeries, reloadTable]);
  const isShort = "range" in span && SHORT_RANGES.includes(span.range);
  const leastMs = isShort ? SOON_MS : LATER_MS;
  useRefresh({ news, busy: series.loading || table.loading, reload, leastMs });
  return { series, table, reload };
}

const chosenOf = (filters: Filters) =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ""));

type TableCardProps = {
  readonly rows: readonly UsageRow[];
  readonly query: UsageQuery;
};

function TableCard({ rows, query }: TableCardProps) {
  const { path } = useAccount();
  const { span, words, setFilter } = query;
  const file = (format: string) => apiUrl(path("/usage/export"), { ...span, format });
  return (
    <Card
      title="Networks and methods"
      hint={`In ${words}.`}
      flush
      actions={["CSV", "JSON"].map((format) => (
        <a
          key={format}
          class="button button-plain button-small"
          href={file(format.toLowerCase())}
          download
        >
          <Icon name="download" />
          {format}
          <span class="unseen"> export of all usage in {words}</span>
        </a>
      ))}
    >
      <UsageTable rows={rows} onOnly={setFilter} />
    </Card>
  );
}

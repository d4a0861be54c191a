import "./usage.css";
import { useCallback } from "preact/hooks";
import type { Balance } from "../../../../src/console/contract/accounts.ts";
import type { KeyView } from "../../../../src/console/contract/keys.ts";
import type { Networks } from "../../../../src/console/contract/session.ts";
import type {
  LiveUsage,
  UsageTable as UsageAnswer,
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
import { UsageChart } from "./usage-chart.tsx";
import { RANGE_WORDS } from "./usage-choices.ts";
import { UsageFilters } from "./usage-filters.tsx";
import { UsageTable } from "./usage-table.tsx";
import { useRefresh } from "./use-refresh.ts";
import { type UsageQuery, useUsageQuery } from "./use-usage.ts";

const SOON_MS = 1000;
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
        Calls of this account, what they cost, and what went wrong. Counts appear within two
        seconds.
      </PageHead>
      {shown !== undefined && <BalanceCard balance={shown} live={live.state} />}
      {shown === undefined && balance.error === undefined && <Skeleton lines={4} />}
      {shown === undefined && balance.error !== undefined && (
        <LoadFault error={balance.error} retry={balance.reload} />
      )}
      <UsageFilters query={query} keys={keyList} networks={networks.data?.networks ?? []} />
      <UsageBody query={query} news={live.data} keys={keyList} />
      <ContractsCard range={query.range} news={live.data} />
    </>
  );
}

type BodyProps = {
  readonly query: UsageQuery;
  readonly news: LiveUsage | undefined;
  readonly keys: readonly KeyView[];
};

/** Chart and table of what was chosen. */
function UsageBody({ query, news, keys }: BodyProps) {
  const { path } = useAccount();
  const { range, by, key, network, isFiltered } = query;
  const series = useGet<UsageSeries>(path("/usage/series"), { range, by, key, network });
  const table = useGet<UsageAnswer>(path("/usage/table"), { range, key, network });
  const { reload: reloadSeries } = series;
  const { reload: reloadTable } = table;
  const reload = useCallback(() => {
    reloadSeries();
    reloadTable();
  }, [reloadSeries, reloadTable]);
  const leastMs = range === "7d" || range === "30d" ? LATER_MS : SOON_MS;
  useRefresh({ news, busy: series.loading || table.loading, reload, leastMs });
  const nameOf = useCallback(
    (name: string) => keys.find(({ id }) => id === name)?.name ?? name,
    [keys],
  );
  const isRecent = range === "15m" && !isFiltered;
  const rows = (isRecent ? news?.recent : undefined) ?? table.data?.rows;
  const words = RANGE_WORDS[range] ?? range;
  const error = series.error ?? table.error;
  if (error !== undefined && (series.data === undefined || rows === undefined)) {
    return <LoadFault error={error} retry={reload} />;
  }
  if (series.data === undefined || rows === undefined) return <Skeleton lines={10} />;
  if (rows.length === 0 && !isFiltered) {
    return (
      <Card>
        <FirstCall range={words} />
      </Card>
    );
  }
  return (
    <>
      {error !== undefined && <LoadFault error={error} retry={reload} />}
      <Card title="Over time" hint={`In ${words}.`}>
        {rows.length === 0 && (
          <Notice>No calls in {words} with these filters. Clear them, or look further back.</Notice>
        )}
        <UsageChart query={query} answer={series.data} nameOf={nameOf} />
      </Card>
      <TableCard rows={rows} query={query} words={words} />
    </>
  );
}

type TableCardProps = {
  readonly rows: readonly UsageRow[];
  readonly query: UsageQuery;
  readonly words: string;
};

function TableCard({ rows, query: { range }, words }: TableCardProps) {
  const { path } = useAccount();
  const file = (format: string) => apiUrl(path("/usage/export"), { range, format });
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
      <UsageTable rows={rows} />
    </Card>
  );
}

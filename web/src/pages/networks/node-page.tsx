import "./networks.css";
import { useMemo } from "preact/hooks";
import { NODE_RANGES } from "../../../../src/console/contract/constants.ts";
import type {
  NetworksOverview,
  NodeHistoryView,
  UpstreamView,
} from "../../../../src/console/contract/operator-networks.ts";
import { Chart } from "../../charts/chart.tsx";
import { formatNumber, formatShare } from "../../format.ts";
import { useLive } from "../../live.ts";
import { useGet } from "../../load.ts";
import { Link, type PageProps, useSearchParam } from "../../router.tsx";
import { useZone } from "../../time.ts";
import { Ago, Badge, Card, PageHead, Skeleton, Stat, Stats } from "../../ui/display.tsx";
import { LoadFault } from "../../ui/notice.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { choose, RANGE_WORDS } from "../usage/usage-choices.ts";
import { useRefresh } from "../usage/use-refresh.ts";
import { NODE_MEASURES, nodeDataOf } from "./node-data.ts";
import { describeState } from "./upstream-states.ts";

const LEAST_MS = 10_000;

/** One node: how it is now, and how it did over an hour, a day or a week. */
export function NodePage({ params }: PageProps) {
  const { network = "", upstream = "" } = params;
  const live = useLive<NetworksOverview>("/operator/networks/live", "networks");
  const [asked, setRange] = useSearchParam("range", "1h");
  const range = choose(["1h", ...NODE_RANGES], asked);
  const path = `/operator/networks/${encodeURIComponent(network)}/upstreams/${encodeURIComponent(upstream)}/history`;
  const { data, error, loading, reload } = useGet<NodeHistoryView>(path, { range });
  useRefresh({ news: live.data, busy: loading, reload, leastMs: LEAST_MS });
  const now = live.data?.networks
    .find(({ name }) => name === network)
    ?.upstreams.find(({ name }) => name === upstream);
  return (
    <>
      <PageHead title={upstream}>
        A node of <Link to="/networks">{network}</Link>, as all gateways see it.
      </PageHead>
      {now !== undefined && <NodeNow node={now} />}
      <div>
        <Segments
          label="Time range"
          choices={NODE_RANGES.map((value) => ({ value, label: value }))}
          value={range}
          onChange={setRange}
        />
      </div>
      {error !== undefined && <LoadFault error={error} retry={reload} />}
      {data === undefined && error === undefined && <Skeleton lines={8} />}
      {data !== undefined && <HistoryCard history={data} words={RANGE_WORDS[range] ?? range} />}
    </>
  );
}

function HistoryCard(props: { readonly history: NodeHistoryView; readonly words: string }) {
  const { history, words } = props;
  const [asked, setMeasure] = useSearchParam("measure", "latency");
  const values = NODE_MEASURES.map(({ value }) => value);
  const measure = choose(["latency", ...values], asked);
  const zone = useZone();
  const data = useMemo(() => nodeDataOf(history, measure), [history, measure]);
  const { label, unit } = NODE_MEASURES.find(({ value }) => value === measure) ?? NODE_MEASURES[0];
  return (
    <Card title="Over time" hint={`In ${words}. A node's history is kept for eight days.`}>
      <div class="node-controls">
        <Segments label="Show" choices={NODE_MEASURES} value={measure} onChange={setMeasure} />
      </div>
      <Chart
        {...{ label, unit, data, zone }}
        kind={measure === "calls" ? "bars" : "lines"}
        of={measure === "calls" ? "outcome" : "name"}
      />
    </Card>
  );
}

function NodeNow({ node }: { readonly node: UpstreamView }) {
  const { state, lastError, cost, head, lag } = node;
  const { tone, meaning } = describeState(state);
  return (
    <Card title="Now" hint={tone === "ok" ? "" : meaning}>
      <Stats>
        <Stat label="State" value={<Badge tone={tone}>{state}</Badge>} />
        <Stat
          label="Head"
          value={head === null ? "–" : formatNumber(head)}
          note={lag === null ? "not known" : `${formatNumber(lag)} behind the network`}
        />
        {cost !== undefined && <Cost cost={cost} />}
        <Stat
          label="Last error"
          value={lastError === null ? "none" : <Ago value={lastError.at} />}
          note={lastError === null ? "since the gateway started" : errorText(lastError)}
        />
      </Stats>
    </Card>
  );
}

function Cost({ cost: { month, monthly } }: { readonly cost: NonNullable<UpstreamView["cost"]> }) {
  const isNear = month !== null && monthly !== null && month >= 0.9 * monthly;
  return (
    <Stat
      label="Units this month"
      value={month === null ? "–" : formatNumber(month)}
      note={
        monthly === null
          ? "no cap"
          : `${formatShare(monthly === 0 ? 1 : (month ?? 0) / monthly)} of ${formatNumber(monthly)}`
      }
      {...(isNear ? { tone: "warn" as const } : {})}
    />
  );
}

function errorText({ message, count }: NonNullable<UpstreamView["lastError"]>): string {
  return count > 1 ? `${message} (${formatNumber(count)} times)` : message;
}

import type { UpstreamView } from "../../../../src/console/contract/operator-networks.ts";
import { formatMs, formatNumber } from "../../format.ts";
import { Link } from "../../router.tsx";
import { Button } from "../../ui/button.tsx";
import { Ago, Badge } from "../../ui/display.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { describeArchive, describeState, formatRate } from "./upstream-states.ts";

type UpstreamTableProps = {
  readonly network: string;
  readonly upstreams: readonly UpstreamView[];
  /** Drains or enables, after a question. */
  readonly onSwitch: (upstream: UpstreamView) => void;
};

export function UpstreamTable({ network, upstreams, onSwitch }: UpstreamTableProps) {
  const actions: Column<UpstreamView> = {
    ...{ key: "actions", head: "Actions", unseenHead: true, align: "end" },
    cell: (upstream) => {
      const action = upstream.state === "drained" ? "Enable" : "Drain";
      return (
        <Button
          size="small"
          label={`${action} ${upstream.name} of ${network}`}
          onClick={() => onSwitch(upstream)}
        >
          {action}
        </Button>
      );
    },
  };
  return (
    <div class="scroll upstreams">
      <Table
        caption={`Upstreams of ${network}`}
        columns={[nameColumn(network), ...COLUMNS, actions]}
        rows={upstreams}
        rowKey={({ name }) => name}
      />
    </div>
  );
}

const NUMBER = { align: "end" } as const;

const nameColumn = (network: string): Column<UpstreamView> => ({
  key: "name",
  head: "Upstream",
  rowHead: true,
  cell: (upstream) => <Name network={network} upstream={upstream} />,
});

const COLUMNS: readonly Column<UpstreamView>[] = [
  { key: "state", head: "State", cell: (upstream) => <State upstream={upstream} /> },
  { key: "head", head: "Head", cell: ({ head }) => numberOr(head), ...NUMBER },
  { key: "lag", head: "Lag", cell: ({ lag }) => <Lag lag={lag} />, ...NUMBER },
  {
    ...{ key: "latency", head: "Latency", ...NUMBER },
    cell: ({ latencyMs }) => (latencyMs === null ? "–" : formatMs(latencyMs)),
  },
  { key: "inFlight", head: "In flight", cell: ({ inFlight }) => formatNumber(inFlight), ...NUMBER },
  {
    ...{ key: "calls", head: "Calls/s", ...NUMBER },
    cell: ({ traffic }) => (traffic === null ? "–" : formatRate(traffic.calls)),
  },
  {
    ...{ key: "errors", head: "Errors/s", ...NUMBER },
    cell: ({ traffic }) => <Errors rate={traffic?.failures ?? null} />,
  },
  {
    ...{ key: "archive", head: "Archive", ...NUMBER },
    cell: ({ archiveDepth }) => describeArchive(archiveDepth),
  },
  { key: "lacks", head: "Lacks", cell: ({ lacks }) => <Lacks lacks={lacks} /> },
];

function numberOr(value: number | null): string {
  return value === null ? "–" : formatNumber(value);
}

type NameProps = { readonly network: string; readonly upstream: UpstreamView };

function Name({ network, upstream: { name, role, clientVersion } }: NameProps) {
  return (
    <div>
      <Link to={`/networks/${encodeURIComponent(network)}/${encodeURIComponent(name)}`}>
        {name}
      </Link>
      <span class="cell-note">
        {role}
        {clientVersion !== null && ` · ${clientVersion}`}
      </span>
    </div>
  );
}

function State({ upstream: { state, lastError } }: { readonly upstream: UpstreamView }) {
  const { tone, meaning } = describeState(state);
  return (
    <div>
      <Badge tone={tone}>{state}</Badge>
      {tone !== "ok" && meaning !== "" && <span class="cell-note">{meaning}</span>}
      {lastError !== null && (
        <span class="cell-note">
          Last error, <Ago value={lastError.at} />: {lastError.message}
          {lastError.count > 1 && ` (${formatNumber(lastError.count)} times)`}
        </span>
      )}
    </div>
  );
}

function Lag({ lag }: { readonly lag: number | null }) {
  if (lag === null) return <>–</>;
  return lag > 2 ? (
    <Badge tone="warn">{formatNumber(lag)}</Badge>
  ) : (
    <span>{formatNumber(lag)}</span>
  );
}

function Errors({ rate }: { readonly rate: number | null }) {
  if (rate === null) return <>–</>;
  return rate > 0 ? <Badge tone="warn">{formatRate(rate)}</Badge> : <>0</>;
}

function Lacks({ lacks }: { readonly lacks: readonly string[] }) {
  if (lacks.length === 0) return <span class="muted">nothing</span>;
  return (
    <details>
      <summary>{lacks.length === 1 ? "1 method" : `${lacks.length} methods`}</summary>
      <ul class="lacks">
        {lacks.map((method) => (
          <li key={method}>
            <code>{method}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}

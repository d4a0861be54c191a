import { MINUTE_RANGES } from "../../../../src/console/contract/constants.ts";
import type { ContractCalls } from "../../../../src/console/contract/usage.ts";
import { useSlices } from "../../charts/use-slices.ts";
import { formatNumber, plural } from "../../format.ts";
import { useGet } from "../../load.ts";
import { useAccount } from "../../session.tsx";
import { Card, Skeleton } from "../../ui/display.tsx";
import { LoadFault } from "../../ui/notice.tsx";
import { type Column, Pager, Table } from "../../ui/table.tsx";
import { RANGE_WORDS } from "./usage-choices.ts";
import { useRefresh } from "./use-refresh.ts";
import type { UsageQuery } from "./use-usage.ts";

const PAGE = 10;
const LEAST_MS = 5000;

const COLUMNS: readonly Column<ContractCalls>[] = [
  { key: "network", head: "Network", cell: ({ network }) => network },
  {
    ...{ key: "contract", head: "Contract", rowHead: true },
    cell: ({ contract }) => <code class="break">{contract}</code>,
  },
  { key: "calls", head: "Calls (approx.)", align: "end", cell: ({ calls }) => formatNumber(calls) },
];

type ContractsProps = {
  readonly query: UsageQuery;
  /** Something else each time that there are new calls. */
  readonly news: unknown;
};

/** The contracts that were called most; counted by the minute, and minutes are kept two days. */
export function ContractsCard({ query: { span, words: asked }, news }: ContractsProps) {
  const { path } = useAccount();
  const kept =
    "range" in span ? (MINUTE_RANGES.find((one) => one === span.range) ?? "24h") : undefined;
  const { data, error, loading, reload } = useGet<{ items: ContractCalls[] }>(
    path("/usage/contracts"),
    kept === undefined ? span : { range: kept },
  );
  useRefresh({ news, busy: loading, reload, leastMs: LEAST_MS });
  const items = data?.items ?? [];
  const { rows, ...pager } = useSlices(items, PAGE);
  const isAsked = !("range" in span) || span.range === kept;
  const words = kept === undefined ? asked : (RANGE_WORDS[kept] ?? kept);
  return (
    <Card
      title="Top contracts of eth_call"
      hint={isAsked ? `In ${words}, all keys.` : `In ${words}: contracts are kept for two days.`}
      flush={rows.length > 0}
    >
      {error !== undefined && <LoadFault error={error} retry={reload} />}
      {data === undefined && error === undefined && <Skeleton />}
      {data !== undefined && rows.length === 0 && (
        <p class="card-hint">
          No <code>eth_call</code> named a contract in {words}. Once some do, the{" "}
          {plural(PAGE, "most called contract")} appear here.
        </p>
      )}
      {rows.length > 0 && (
        <Table
          caption="Contracts that eth_call called most"
          columns={COLUMNS}
          rows={rows}
          rowKey={({ network, contract }) => `${network} ${contract}`}
        />
      )}
      <Pager label="Pages of contracts" {...pager} />
    </Card>
  );
}

import { useState } from "preact/hooks";
import { FLEET_RANGES } from "../../../../src/console/contract/constants.ts";
import type { AllUsage } from "../../../../src/console/contract/operator-accounts.ts";
import { formatNumber, formatShare, plural } from "../../format.ts";
import { useGet } from "../../load.ts";
import { Link } from "../../router.tsx";
import { Card, Skeleton } from "../../ui/display.tsx";
import { LoadFault } from "../../ui/notice.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Segments } from "../../ui/tabs.tsx";

type Row = AllUsage["accounts"][number];

/** Who uses this gateway most, and how much of all that is. */
export function LargestCard() {
  const [range, setRange] = useState<string>("24h");
  const { data, error, reload } = useGet<AllUsage>("/operator/usage", { range });
  const segments = (
    <Segments
      label="Time range"
      choices={FLEET_RANGES.map((value) => ({ value, label: value }))}
      value={range}
      onChange={setRange}
    />
  );
  return (
    <Card
      title="Largest accounts"
      hint={data === undefined ? "" : inWords(data.all)}
      actions={segments}
      flush
    >
      {error !== undefined && <LoadFault error={error} retry={reload} />}
      {data === undefined && error === undefined && <Skeleton lines={4} />}
      {data !== undefined && data.accounts.length > 0 && (
        <Table
          caption="Largest accounts"
          columns={columnsOf(data.all)}
          rows={data.accounts}
          rowKey={({ id }) => id}
        />
      )}
    </Card>
  );
}

function inWords({ accounts, calls, credits }: AllUsage["all"]): string {
  if (accounts === 0) return "No calls yet.";
  const who = accounts === 1 ? "One account" : `${formatNumber(accounts)} accounts`;
  return `${who}: ${plural(calls, "call")}, ${plural(credits, "credit")}.`;
}

function columnsOf(all: AllUsage["all"]): readonly Column<Row>[] {
  const share = (part: number, whole: number) => formatShare(whole === 0 ? 0 : part / whole);
  return [
    { key: "email", head: "Account", rowHead: true, cell: (row) => <Name row={row} /> },
    { key: "plan", head: "Plan", cell: ({ plan }) => plan ?? <span class="muted">deleted</span> },
    {
      ...{ key: "credits", head: "Credits", align: "end" },
      cell: ({ credits }) => (
        <div>
          {formatNumber(credits)}
          <span class="cell-note">{share(credits, all.credits)} of all</span>
        </div>
      ),
    },
    { ...{ key: "calls", head: "Calls", align: "end" }, cell: ({ calls }) => formatNumber(calls) },
    {
      ...{ key: "failed", head: "Unanswered", align: "end" },
      cell: ({ failed, calls }) => (
        <div>
          {formatNumber(failed)}
          <span class="cell-note">{share(failed, calls)}</span>
        </div>
      ),
    },
  ];
}

function Name({ row: { id, email } }: { readonly row: Row }) {
  if (email === null) return <span class="mono">{id}</span>;
  return <Link to={`/accounts/${encodeURIComponent(id)}/usage`}>{email}</Link>;
}

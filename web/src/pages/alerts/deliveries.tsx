import type { Delivery } from "../../../../src/console/contract/alerts.ts";
import { plural } from "../../format.ts";
import { usePages } from "../../load.ts";
import { useAccount } from "../../session.tsx";
import { Button } from "../../ui/button.tsx";
import { Badge, Card, Skeleton, Time } from "../../ui/display.tsx";
import { Empty, LoadFault } from "../../ui/notice.tsx";
import { type Column, Pager, Table } from "../../ui/table.tsx";

/** What was sent, and what became of it. */
export function Deliveries() {
  const { path } = useAccount();
  const { items, error, reload, loading, number, next, previous } = usePages<Delivery>(
    path("/alerts/deliveries"),
    { limit: 20 },
  );
  return (
    <Card
      title="Sent alerts"
      flush
      actions={
        <Button size="small" icon="refresh" busy={loading} onClick={reload}>
          Refresh
        </Button>
      }
    >
      {error !== undefined && <LoadFault error={error} retry={reload} />}
      {items === undefined && error === undefined && <Skeleton lines={3} />}
      {items?.length === 0 && (
        <Empty icon="bell" title="No alerts sent yet">
          When a day's use reaches one of the thresholds above, the alert and its delivery appear
          here.
        </Empty>
      )}
      {items !== undefined && items.length > 0 && (
        <Table caption="Sent alerts" columns={COLUMNS} rows={items} rowKey={({ id }) => id} />
      )}
      <Pager
        label="Pages of sent alerts"
        number={number}
        next={next}
        previous={previous}
        loading={loading}
      />
    </Card>
  );
}

const TONES = { pending: "warn", sent: "ok", failed: "danger" } as const;

const COLUMNS: readonly Column<Delivery>[] = [
  { key: "at", head: "When", cell: ({ at }) => <Time value={at} /> },
  {
    key: "threshold",
    head: "Threshold",
    rowHead: true,
    cell: ({ threshold, day }) => `${threshold} % of ${day} (UTC)`,
  },
  {
    key: "target",
    head: "To",
    cell: ({ to, target }) => (
      <div class="break">
        {target}
        <span class="cell-note">{to === "email" ? "by e-mail" : "by webhook"}</span>
      </div>
    ),
  },
  {
    key: "state",
    head: "State",
    cell: ({ state, attempts, lastError }) => (
      <div class="break">
        <Badge tone={TONES[state]}>{state}</Badge>
        <span class="cell-note">
          {plural(attempts, "attempt")}
          {lastError !== null && `; ${lastError}`}
        </span>
      </div>
    ),
  },
];

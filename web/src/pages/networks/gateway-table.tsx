import type { GatewayView } from "../../../../src/console/contract/operator-networks.ts";
import { formatNumber } from "../../format.ts";
import { Time } from "../../ui/display.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { formatRate } from "./upstream-states.ts";

const NUMBER = { align: "end" } as const;

const COLUMNS: readonly Column<GatewayView>[] = [
  { key: "name", head: "Gateway", rowHead: true, cell: ({ name }) => name },
  { key: "version", head: "Version", cell: ({ version }) => version },
  { key: "since", head: "Since", cell: ({ startedAt }) => <Time value={startedAt} /> },
  {
    ...{ key: "calls", head: "Calls/s", ...NUMBER },
    cell: ({ callsPerSecond }) => formatRate(callsPerSecond),
  },
  { key: "leases", head: "Leases", cell: ({ leases }) => formatNumber(leases), ...NUMBER },
  { key: "heads", head: "Heads", cell: ({ networks }) => <Heads networks={networks} /> },
];

export function GatewayTable({ gateways }: { readonly gateways: readonly GatewayView[] }) {
  return (
    <Table
      caption="Gateways that share this storage"
      columns={COLUMNS}
      rows={gateways}
      rowKey={({ name }) => name}
    />
  );
}

function Heads({ networks }: Pick<GatewayView, "networks">) {
  return (
    <>
      {networks.map(({ name, head }) => (
        <div key={name}>
          {name} {head === null ? "–" : formatNumber(head)}
        </div>
      ))}
    </>
  );
}

import { formatNumber } from "../../format.ts";
import { Button } from "../../ui/button.tsx";
import { Ago, Badge, Card } from "../../ui/display.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { errorOf, explain } from "./explain-error.ts";
import type { MadeCall } from "./history.ts";

type HistoryProps = {
  readonly calls: readonly MadeCall[];
  readonly onOpen: (call: MadeCall) => void;
};

/** The calls of this visit, to look at again or to change and send again. */
export function HistoryCard({ calls, onOpen }: HistoryProps) {
  const columns: readonly Column<MadeCall>[] = [
    { key: "method", head: "Method", rowHead: true, cell: ({ method }) => <code>{method}</code> },
    { key: "network", head: "Network", cell: ({ network }) => network },
    { key: "outcome", head: "Outcome", cell: ({ reply }) => <Outcome reply={reply} /> },
    {
      ...{ key: "credits", head: "Credits", align: "end" },
      cell: ({ reply }) => formatNumber(reply.credits),
    },
    { key: "at", head: "When", cell: ({ at }) => <Ago value={at} /> },
    {
      ...{ key: "open", head: "Open", unseenHead: true, align: "end" },
      cell: (call) => (
        <Button size="small" label={`Open this ${call.method}`} onClick={() => onOpen(call)}>
          Open
        </Button>
      ),
    },
  ];
  return (
    <Card title="This visit" hint="Cleared when you close or reload the dashboard." flush>
      <Table
        caption="Calls of this visit"
        columns={columns}
        rows={calls}
        rowKey={({ id }) => String(id)}
      />
    </Card>
  );
}

function Outcome({ reply: { answer, status } }: Pick<MadeCall, "reply">) {
  // Only a failure is short enough to be worth reading again.
  const error = answer.length > 10_000 ? undefined : errorIn(answer);
  const name = explain(status, error)?.name;
  return <Badge tone={name === undefined ? "ok" : "warn"}>{name ?? "ok"}</Badge>;
}

function errorIn(answer: string) {
  try {
    return errorOf(JSON.parse(answer));
  } catch {
    return undefined;
  }
}

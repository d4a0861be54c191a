import { useState } from "preact/hooks";
import type {
  FoundRequestsView,
  OperatorRequestLine,
  RequestLineView,
} from "../../../../src/console/contract/requests.ts";
import { announce } from "../../announce.tsx";
import { api } from "../../api.ts";
import { formatMs, formatNumber, formatShare } from "../../format.ts";
import { Link } from "../../router.tsx";
import { useSession } from "../../session.tsx";
import { Card, Time } from "../../ui/display.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { type Column, Table } from "../../ui/table.tsx";

type Line = RequestLineView & Partial<Pick<OperatorRequestLine, "account" | "email" | "upstream">>;
type Found = Omit<FoundRequestsView, "items"> & { readonly items: readonly Line[] };

const COLUMNS: readonly Column<Line>[] = [
  {
    ...{ key: "method", head: "Method", rowHead: true },
    cell: ({ method }) => <code class="name">{method}</code>,
  },
  { key: "time", head: "Ended", cell: ({ time }) => <Time value={time} /> },
  { key: "network", head: "Network", cell: ({ network }) => network },
  { key: "outcome", head: "Outcome", cell: ({ outcome }) => outcome },
  {
    ...{ key: "credits", head: "Credits", align: "end" },
    cell: ({ credits }) => formatNumber(credits),
  },
  {
    ...{ key: "durationMs", head: "Time taken", align: "end" },
    cell: ({ durationMs }) => formatMs(durationMs),
  },
];

const KEY: Column<Line> = {
  ...{ key: "keyId", head: "Key" },
  cell: ({ keyId }) => <code class="break">{keyId}</code>,
};

const FOR_OPERATORS: readonly Column<Line>[] = [
  {
    ...{ key: "account", head: "Account" },
    cell: ({ account = "", email }) =>
      email ? <Link to={`/accounts/${account}`}>{email}</Link> : <code>{account}</code>,
  },
  { key: "upstream", head: "Node", cell: ({ upstream }) => upstream ?? "–" },
];

type RequestCardProps = {
  /** Of the API: an account's requests, or those of all. */
  readonly path: string;
  readonly isOfAll?: boolean;
};

/** Finds the calls of one request by its id, where the gateway writes a request log. */
export function RequestCard({ path, isOfAll = false }: RequestCardProps) {
  const { config } = useSession();
  const [found, setFound] = useState<Found & { readonly id: string }>();
  if (!config.requestLog) return null;
  const columns = isOfAll ? [...COLUMNS, ...FOR_OPERATORS, KEY] : [...COLUMNS, KEY];
  return (
    <Card
      title="Find a request"
      hint="By the X-Request-Id of its answer. Searches the request log on this machine."
    >
      <Form
        inline
        submit="Find"
        kind="plain"
        label="Find a request"
        onSubmit={async ({ text }) => {
          const id = text("id");
          const answer = await api.get<Found>(path, { query: { id } });
          setFound({ ...answer, id });
          announce(summaryOf({ ...answer, id }));
        }}
      >
        <Field name="id" label="Request id" required maxLength={100} mono />
      </Form>
      {found !== undefined && <p class="card-hint">{summaryOf(found)}</p>}
      {found !== undefined && found.items.length > 0 && (
        <Table
          caption={`Calls of request ${found.id}`}
          columns={columns}
          rows={found.items}
          rowKey={(line) => String(found.items.indexOf(line))}
        />
      )}
    </Card>
  );
}

function summaryOf({ id, items, isWhole, ratio }: Found & { readonly id: string }): string {
  const some = ratio < 1 ? ` The log holds ${formatShare(ratio)} of all calls.` : "";
  const more = isWhole ? "" : " There may be more, further back than the search reached.";
  if (items.length === 0) {
    return `The log has no call of request ${id}. Calls appear up to a second after they end.${some}${more}`;
  }
  const calls = items.length === 1 ? "One call" : `${formatNumber(items.length)} calls`;
  return `${calls} of request ${id}, newest first.${some}${more}`;
}

import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { UsageRow } from "../../../../src/console/contract/usage.ts";
import { ERRORS } from "../../../../src/jsonrpc/errors.ts";
import { ANSWERED_OUTCOMES, isFailure } from "../../../../src/storage/usage-store.ts";
import { useSlices } from "../../charts/use-slices.ts";
import { formatBytes, formatMs, formatNumber, formatShare } from "../../format.ts";
import { Badge } from "../../ui/display.tsx";
import { Select } from "../../ui/field.tsx";
import { type Column, Pager, Table } from "../../ui/table.tsx";
import {
  failedShare,
  nextSort,
  outcomesOf,
  SORTS,
  type Sort,
  sortBy,
  sortRows,
} from "./usage-choices.ts";

const PAGE = 12;
const SORTABLE = { sortable: true } as const;
const NUMBER = { align: "end", ...SORTABLE } as const;

/** Shows the calls of one method, network or outcome alone. */
type OnOnly = (name: "method" | "network" | "outcome", value: string) => void;

const columnsOf = (onOnly: OnOnly): readonly Column<UsageRow>[] => [
  {
    ...{ key: "method", head: SORTS.method, rowHead: true, ...SORTABLE },
    cell: ({ method }) => (
      <OnlyButton text={method} onClick={() => onOnly("method", method)}>
        <code class="name">{method}</code>
      </OnlyButton>
    ),
  },
  {
    ...{ key: "network", head: SORTS.network, ...SORTABLE },
    cell: ({ network }) => (
      <OnlyButton text={network} onClick={() => onOnly("network", network)}>
        <span class="name">{network}</span>
      </OnlyButton>
    ),
  },
  { key: "calls", head: SORTS.calls, cell: ({ calls }) => formatNumber(calls), ...NUMBER },
  { key: "ok", head: SORTS.ok, cell: ({ ok }) => formatNumber(ok), ...NUMBER },
  { key: "failed", head: SORTS.failed, cell: (row) => formatShare(failedShare(row)), ...NUMBER },
  { key: "outcomes", head: "Statuses", cell: (row) => <Statuses row={row} onOnly={onOnly} /> },
  { key: "credits", head: SORTS.credits, cell: ({ credits }) => formatNumber(credits), ...NUMBER },
  {
    ...{ key: "latencyMs", head: SORTS.latencyMs, ...NUMBER },
    cell: ({ latencyMs }) => formatMs(latencyMs),
  },
  {
    ...{ key: "p95", head: SORTS.p95, ...NUMBER },
    cell: ({ p95 }) => (p95 === null ? "–" : formatMs(p95)),
  },
  { key: "bytes", head: "Answers", align: "end", cell: ({ bytes }) => formatBytes(bytes) },
];

type UsageTableProps = { readonly rows: readonly UsageRow[]; readonly onOnly: OnOnly };

/** Calls of each network and method. */
export function UsageTable({ rows, onOnly }: UsageTableProps) {
  const [sort, setSort] = useState<Sort>(sortBy("calls"));
  const sorted = useMemo(() => sortRows(rows, sort), [rows, sort]);
  const { rows: shown, ...pager } = useSlices(sorted, PAGE);
  return (
    <>
      <div class="usage-sort">
        <Select
          name="sort"
          label="Sort by"
          choices={Object.entries(SORTS).map(([value, label]) => ({ value, label }))}
          value={sort.key}
          onChange={(key) => setSort(sortBy(key))}
        />
      </div>
      <div class="scroll usage-table">
        <Table
          caption="Calls by network and method"
          columns={columnsOf(onOnly)}
          rows={shown}
          rowKey={({ network, method }) => `${network} ${method}`}
          sort={sort}
          onSort={(key) => setSort((before) => nextSort(before, key))}
        />
      </div>
      <Pager label="Pages of calls by network and method" {...pager} />
      <Failures rows={rows} />
    </>
  );
}

type OnlyButtonProps = {
  /** What it shows alone, as the children say it. */
  readonly text: string;
  readonly children: ComponentChildren;
  readonly onClick: () => void;
};

function OnlyButton({ text, children, onClick }: OnlyButtonProps) {
  return (
    <button type="button" class="only" aria-label={`Only ${text}`} onClick={onClick}>
      {children}
    </button>
  );
}

type StatusesProps = { readonly row: UsageRow; readonly onOnly: OnOnly };

function Statuses({ row: { outcomes }, onOnly }: StatusesProps) {
  const sorted = Object.entries(outcomes).sort((a, b) => b[1] - a[1]);
  return (
    <span class="statuses">
      {sorted.map(([name, calls]) => (
        <OnlyButton
          key={name}
          text={`${name} ${formatNumber(calls)}`}
          onClick={() => onOnly("outcome", name)}
        >
          <Badge tone={toneOf(name)}>
            {name} {formatNumber(calls)}
          </Badge>
        </OnlyButton>
      ))}
    </span>
  );
}

/** As in the chart: what the chain itself refused is told apart from what failed. */
function toneOf(outcome: string): "ok" | "warn" | "danger" {
  if (isAnswered(outcome)) return "ok";
  return isFailure(outcome) ? "danger" : "warn";
}

/** `partner`: answered too, by a partner. */
function isAnswered(outcome: string): boolean {
  return ANSWERED_OUTCOMES.includes(outcome);
}

/** What the failures mean and what to do about them. */
function Failures({ rows }: { readonly rows: readonly UsageRow[] }) {
  const failures = outcomesOf(rows).filter(([name]) => !isAnswered(name));
  if (failures.length === 0) return null;
  return (
    <div class="failures">
      <h3>What went wrong, and what to do</h3>
      <dl>
        {failures.map(([name, calls]) => (
          <div key={name}>
            <dt>
              <code>{name}</code> {formatNumber(calls)}
            </dt>
            <dd>{meaningOf(name)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function meaningOf(outcome: string): string {
  return Object.hasOwn(ERRORS, outcome)
    ? ERRORS[outcome as keyof typeof ERRORS].meaning
    : "An outcome that this version of the dashboard does not know.";
}

import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";

export type Column<Row> = {
  readonly key: string;
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** `end` for numbers. */
  readonly align?: "start" | "end";
  /** The row's name: read out with each of its cells. */
  readonly rowHead?: boolean;
  /** The head is only for screen readers (buttons). */
  readonly unseenHead?: boolean;
  /** The head is a button that calls `onSort`. */
  readonly sortable?: boolean;
};

export type Sort = { readonly key: string; readonly descending: boolean };

export type TableProps<Row> = {
  /** What the table lists, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** On a phone `stack` shows each row as a block of named values; `scroll` keeps the columns. */
  readonly narrow?: "stack" | "scroll";
  /** How the rows are sorted; the page sorts them. Stacked rows show no heads to sort by. */
  readonly sort?: Sort;
  readonly onSort?: (key: string) => void;
};

/**
 * Stacked rows are no table to the browser any more (display: block), so the roles are said again;
 * as data, since a linter would otherwise call them redundant.
 */
const ROLE = {
  table: { role: "table" },
  group: { role: "rowgroup" },
  row: { role: "row" },
  head: { role: "columnheader" },
  rowHead: { role: "rowheader" },
  cell: { role: "cell" },
} as const;

export function Table<Row>({ narrow = "stack", ...props }: TableProps<Row>) {
  const { caption, columns, rows, rowKey } = props;
  const table = (
    <table {...ROLE.table} class={`table table-${narrow}`}>
      <caption class="unseen">{caption}</caption>
      <thead {...ROLE.group}>
        <tr {...ROLE.row}>
          {columns.map((column) => (
            <Head key={column.key} column={column} sort={props.sort} onSort={props.onSort} />
          ))}
        </tr>
      </thead>
      <tbody {...ROLE.group}>
        {rows.map((row) => (
          <tr key={rowKey(row)} {...ROLE.row}>
            {columns.map((column) => (
              <Cell key={column.key} column={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
  if (narrow === "stack") return table;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
    <section class="scroll" aria-label={caption} tabIndex={0}>
      {table}
    </section>
  );
}

type HeadProps<Row> = {
  readonly column: Column<Row>;
  readonly sort: Sort | undefined;
  readonly onSort: ((key: string) => void) | undefined;
};

function Head<Row>({ column, sort, onSort }: HeadProps<Row>) {
  const { key, head, align, unseenHead, sortable } = column;
  const sorted = sort?.key !== key ? "none" : sort.descending ? "descending" : "ascending";
  return (
    <th
      {...ROLE.head}
      scope="col"
      class={`align-${align}`}
      aria-sort={sortable ? sorted : undefined}
    >
      {sortable ? (
        <button type="button" class={`sort sort-${sorted}`} onClick={() => onSort?.(key)}>
          {head}
        </button>
      ) : (
        <span class={unseenHead ? "unseen" : undefined}>{head}</span>
      )}
    </th>
  );
}

function Cell<Row>({ column, row }: { readonly column: Column<Row>; readonly row: Row }) {
  const align = `align-${column.align}`;
  const head = column.unseenHead ? undefined : column.head;
  if (column.rowHead) {
    return (
      <th {...ROLE.rowHead} scope="row" class={align} data-head={head}>
        {column.cell(row)}
      </th>
    );
  }
  return (
    <td {...ROLE.cell} class={align} data-head={head}>
      {column.cell(row)}
    </td>
  );
}

export type PagerProps = {
  readonly number: number;
  readonly next: (() => void) | undefined;
  readonly previous: (() => void) | undefined;
  readonly loading?: boolean;
  /** What is paged: `Pages of keys`. */
  readonly label: string;
};

/** To the next and the previous page; nothing where one page is all. */
export function Pager({ number, next, previous, loading = false, label }: PagerProps) {
  if (next === undefined && previous === undefined) return null;
  return (
    <nav class="pager" aria-label={label}>
      <Button
        size="small"
        icon="previous"
        disabled={previous === undefined}
        {...(previous === undefined ? {} : { onClick: previous })}
      >
        Previous
      </Button>
      <span aria-live="polite">{loading ? "Loading…" : `Page ${number}`}</span>
      <Button
        size="small"
        icon="next"
        disabled={next === undefined}
        {...(next === undefined ? {} : { onClick: next })}
      >
        Next
      </Button>
    </nav>
  );
}

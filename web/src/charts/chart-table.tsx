import { formatTime, isUtc, zoneName } from "../time.ts";
import { type Column, Pager, Table } from "../ui/table.tsx";
import { type ChartData, totals } from "./chart-data.ts";
import { useSlices } from "./use-slices.ts";

const PAGE = 30;

type TableProps = {
  readonly caption: string;
  readonly data: ChartData;
  readonly zone: string;
  readonly nameOf: (series: string) => string;
};

/** The chart's numbers, newest first: for those who do not see the chart, and to read exactly. */
export function ChartTable({ caption, data, zone, nameOf }: TableProps) {
  const { text, addUp } = data.figures;
  const all = totals(data);
  const newest = data.times.length - 1;
  const { rows, ...pager } = useSlices(
    data.times.map((_, index) => newest - index),
    PAGE,
  );
  const time = (index: number) => data.times[index] ?? 0;
  const columns: Column<number>[] = [
    {
      ...{ key: "time", head: "From", rowHead: true },
      cell: (row) => (
        <span class="chart-time">
          {formatTime(time(row), zone, "minute")} {zoneName(zone, time(row))}
        </span>
      ),
    },
    ...(isUtc(zone)
      ? []
      : [
          {
            key: "utc",
            head: "UTC",
            cell: (row: number) => (
              <span class="chart-time">{formatTime(time(row), "UTC", "minute")}</span>
            ),
          },
        ]),
    ...data.series.map(
      ({ name, values }): Column<number> => ({
        ...{ key: name, head: nameOf(name), align: "end" },
        cell: (row) => (addUp || values[row] != null ? text(values[row] ?? 0) : "–"),
      }),
    ),
    ...(addUp
      ? [
          {
            key: " all",
            head: "All",
            align: "end" as const,
            cell: (row: number) => text(all[row] ?? 0),
          },
        ]
      : []),
  ];
  return (
    <>
      <Table
        caption={caption}
        columns={columns}
        rows={rows}
        rowKey={(row) => String(time(row))}
        narrow="scroll"
      />
      <Pager label={`Pages of: ${caption}`} {...pager} />
    </>
  );
}

import type { Dashboards } from "./dashboards.ts";
import type { Row } from "./report.ts";
import { type Counts, scenarioOf } from "./scenarios.ts";

/** As much of a saved run as is compared. */
export type SavedRun = {
  readonly rows: readonly Row[];
  /** Null or absent where they were not measured. */
  readonly dashboards?: Pick<Dashboards, "ratio"> | null;
  /** Of the store, a second, by calls a second; absent where they were not counted. */
  readonly statements?: Statements | null;
};

export type Statements = {
  readonly slow: { readonly calls: number; readonly statements: number };
  readonly fast: { readonly calls: number; readonly statements: number };
};

/** Counts are not noise, but a hedge or a write of the storage may fall into a loop or not. */
const ROOM_SHARE = 0.1;
const ROOM = 0.002;
/** What grows with the time alone is at most this much more where calls are many times as many. */
const ROOM_STATEMENTS = 10;
const NAMES: Readonly<Record<keyof Counts, string>> = {
  upstreamCalls: "calls to nodes",
  upstreamRequests: "requests to nodes",
  bytes: "bytes",
  writes: "writes",
};

/** How each ratio changed since a saved run, as text for a terminal. */
export function changesOf({ rows, dashboards }: SavedRun, saved: SavedRun): string {
  const lines = rows.map((row) => {
    const before = savedRow(row, saved)?.ratio ?? null;
    return changeOf(`${row.scenario}, ${row.subject}`, { before, ratio: row.ratio });
  });
  const before = saved.dashboards?.ratio ?? null;
  const ratio = dashboards?.ratio ?? null;
  return [...lines, changeOf("dashboards, open / closed", { before, ratio })].join("");
}

type Change = { readonly before: number | null; readonly ratio: number | null };

function changeOf(name: string, { before, ratio }: Change): string {
  if (ratio === null || before === null) return "";
  const change = (ratio / before - 1) * 100;
  const signed = `${change < 0 ? "" : "+"}${change.toFixed(1)} %`;
  return `${name.padEnd(32)}${before.toFixed(2)} -> ${ratio.toFixed(2)}  ${signed}\n`;
}

/** What was counted above its bound or, where there is one, above the saved run; each a line. */
export function countFaults(rows: readonly Row[], saved: SavedRun | null): string[] {
  return rows.flatMap((row) => {
    const { counts, scenario, subject } = row;
    if (counts === null || subject !== "tollgate") return [];
    const { bounds } = scenarioOf(scenario);
    const before = saved === null ? null : (savedRow(row, saved)?.counts ?? null);
    return (Object.keys(NAMES) as (keyof Counts)[]).flatMap((name) => {
      const [found, bound, saw] = [counts[name], bounds[name], before?.[name]];
      if (found === null) return [];
      const what = `${scenario}: ${found.toPrecision(4)} ${NAMES[name]} per call`;
      const isOver = bound !== undefined && bound !== null && found > bound;
      // Where calls are slow, what the program writes by the second counts most; such have no bound.
      const isOwn = name !== "writes" || bounds.writes !== undefined;
      const hasRisen = isOwn && typeof saw === "number" && found > saw * (1 + ROOM_SHARE) + ROOM;
      return [
        ...(isOver ? [`${what}, at most ${bound} are allowed`] : []),
        ...(hasRisen ? [`${what}, ${saw.toPrecision(4)} in the saved run`] : []),
      ];
    });
  });
}

/** The same for the store's statements, which must not grow with the calls. */
export function statementFaults({ slow, fast }: Statements, saved: SavedRun | null): string[] {
  const text = `${fast.statements.toFixed(1)} statements a second at ${fast.calls} calls/s`;
  const before = saved?.statements?.fast.statements;
  const hasRisen =
    before !== undefined && fast.statements > before * (1 + ROOM_SHARE) + ROOM_STATEMENTS;
  return [
    ...(fast.statements > slow.statements + ROOM_STATEMENTS
      ? [`${text}, ${slow.statements.toFixed(1)} at ${slow.calls} calls/s`]
      : []),
    ...(hasRisen ? [`${text}, ${before.toFixed(1)} in the saved run`] : []),
  ];
}

function savedRow(
  { scenario, subject }: Pick<Row, "scenario" | "subject">,
  { rows }: SavedRun,
): Row | undefined {
  return rows.find((row) => row.scenario === scenario && row.subject === subject);
}

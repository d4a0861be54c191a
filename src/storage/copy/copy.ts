import { StorageError } from "../store.ts";
import type { Side } from "./side.ts";
import { COPIED_TABLES, type CopiedTable } from "./tables.ts";

/** Rows of one read, and of one transaction. */
const ROWS = 1000;

export type CopyProgress = {
  readonly table: string;
  /** Of all tables, those of an earlier run included. */
  readonly rows: number;
  readonly ofRows: number;
};

/** What was compared at the end: rows, and sums by column. */
export type CopiedSums = { readonly table: string; readonly rows: number };

/**
 * Copies everything from one store to another, which is empty or has an unfinished copy, and compares rows
 * and sums. Where it ends early, the next one goes on behind what is there.
 * @throws StorageError where the target has something else, and where the sums differ
 */
export async function copyStorage(
  { from, to }: { readonly from: Side; readonly to: Side },
  told: (progress: CopyProgress) => void,
): Promise<readonly CopiedSums[]> {
  await claim(to);
  const sources = await sumsOf(from);
  const ofRows = sources.reduce((sum, { sums: [rows = "0"] }) => sum + Number(rows), 0);
  let rows = 0;
  for (const { table, sums } of sources) {
    const before = rows;
    await copyTable({ from, to }, table, (copied) => {
      told({ table: table.name, rows: before + copied, ofRows });
    });
    rows = before + Number(sums[0]);
  }
  const targets = await sumsOf(to);
  // As they are now: a process that wrote meanwhile is found out.
  compare(await sumsOf(from), targets);
  await to.setCopyState("finished");
  return targets.map(({ table, sums }) => ({ table: table.name, rows: Number(sums[0]) }));
}

async function claim(to: Side): Promise<void> {
  if ((await to.copyState()) === "unfinished") return;
  for (const table of COPIED_TABLES) {
    const isThere = (await to.columns(table)).length > 0;
    if (!isThere || (await to.lastKey(table)) === undefined) continue;
    throw new StorageError(
      `the target of the copy is not empty: it has rows in ${table.name}; name an empty database`,
    );
  }
  await to.setCopyState("unfinished");
}

type TableSums = { readonly table: CopiedTable; readonly sums: readonly string[] };

async function sumsOf(side: Side): Promise<readonly TableSums[]> {
  const all: TableSums[] = [];
  for (const table of COPIED_TABLES) {
    const isThere = (await side.columns(table)).length > 0;
    all.push({
      table,
      sums: isThere ? await side.sums(table) : ["0", ...table.sums.map(() => "0")],
    });
  }
  return all;
}

async function copyTable(
  { from, to }: { readonly from: Side; readonly to: Side },
  table: CopiedTable,
  told: (rows: number) => void,
): Promise<void> {
  const there = new Set(await to.columns(table));
  const columns = (await from.columns(table)).filter((column) => there.has(column));
  if (columns.length === 0) return;
  const [done = "0"] = await to.sums(table);
  let copied = Number(done);
  for (let after = await to.lastKey(table); ; ) {
    const rows = await from.read(table, { columns, after, limit: ROWS });
    if (rows.length > 0) await to.write(table, columns, rows);
    copied += rows.length;
    told(copied);
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS) break;
    after = table.key.map((column) => last[column] ?? null);
  }
  if (table.isNumbered) await to.goOnNumbering(table);
}

function compare(sources: readonly TableSums[], targets: readonly TableSums[]): void {
  for (const [index, { table, sums }] of sources.entries()) {
    const copied = targets[index]?.sums ?? [];
    for (const [n, what] of ["rows", ...table.sums.map((name) => `the sum of ${name}`)].entries()) {
      if (sums[n] === copied[n]) continue;
      throw new StorageError(
        `after the copy, ${table.name} differs: ${what} is ${sums[n]} there and ${copied[n]} here. ` +
          "End every gateway and dashboard of both, empty the target, and copy again",
      );
    }
  }
}

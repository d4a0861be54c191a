import type { PostgresDatabase } from "../postgres/database.ts";
import { quoted, type Values, withoutZeros } from "../postgres/statement.ts";
import type { CopiedRow, CopiedValue, Side } from "./side.ts";
import { type CopiedTable, columnList } from "./tables.ts";

type Kind = "flag" | "time" | "text" | "other";
type Columns = ReadonlyMap<string, Kind>;

const KINDS: Readonly<Record<string, Kind>> = Object.freeze({
  boolean: "flag",
  "timestamp with time zone": "time",
  "timestamp without time zone": "time",
  date: "time",
  text: "text",
  "character varying": "text",
});

export function postgresSide(db: PostgresDatabase): Side {
  const nameOf = (table: CopiedTable) => `${quoted(db.schema)}.${quoted(table.name)}`;
  const known = new Map<string, Columns>();
  const kindsOf = async (table: CopiedTable): Promise<Columns> => {
    const found = known.get(table.name) ?? (await columnsOf(db, table.name));
    known.set(table.name, found);
    return found;
  };
  const order = (table: CopiedTable, kinds: Columns, end = "") =>
    table.key.map((column) => `${inBytes(column, kinds)}${end}`).join(", ");
  return {
    columns: async (table) => [...(await kindsOf(table)).keys()],
    sums: async (table) => {
      const sums = table.sums.map((column) => `coalesce(sum(${quoted(column)}), 0)::text`);
      const named = ["count(*)::text", ...sums].map((sum, n) => `${sum} AS s${n}`).join(", ");
      const [row] = await db.read<CopiedRow>(`SELECT ${named} FROM ${nameOf(table)}`);
      return Object.values(row ?? {}).map(String);
    },
    read: async (table, { columns, after, limit }) => {
      const kinds = await kindsOf(table);
      const values: Record<string, CopiedValue> = { limit };
      for (const [n, value] of (after ?? []).entries()) values[`k${n}`] = value;
      const marks = table.key.map((_, n) => `:k${n}`).join(", ");
      const behind = after === undefined ? "" : `WHERE (${order(table, kinds)}) > (${marks})`;
      const sql = `SELECT ${columnList(columns)} FROM ${nameOf(table)} ${behind}
        ORDER BY ${order(table, kinds)} LIMIT :limit`;
      return (await db.read<Record<string, unknown>>(sql, values)).map(toCopied);
    },
    lastKey: async (table) => {
      const kinds = await kindsOf(table);
      const sql = `SELECT ${columnList(table.key)} FROM ${nameOf(table)}
        ORDER BY ${order(table, kinds, " DESC")} LIMIT 1`;
      const [row] = await db.read<CopiedRow>(sql);
      return row && table.key.map((column) => row[column] ?? null);
    },
    write: async (table, columns, rows) => {
      const kinds = await kindsOf(table);
      const json = JSON.stringify(rows.map((row) => fromCopied(row, kinds)));
      const sql = `INSERT INTO ${nameOf(table)} (${columnList(columns)})
        OVERRIDING SYSTEM VALUE SELECT ${columnList(columns)}
        FROM jsonb_populate_recordset(NULL::${nameOf(table)}, :json::jsonb)`;
      await db.change(sql, { json } satisfies Values);
    },
    goOnNumbering: async (table) => {
      const sql = `SELECT setval(pg_get_serial_sequence(:name, 'seq'),
        (SELECT coalesce(max(seq), 0) + 1 FROM ${nameOf(table)}), false)`;
      await db.write(sql, { name: nameOf(table) });
    },
    copyState: async () => {
      type Row = { readonly state: "unfinished" | "finished" };
      const [row] = await db.read<Row>("SELECT state FROM @copy_state");
      return row?.state;
    },
    setCopyState: (state) =>
      db.transaction(async (session) => {
        await session.change("DELETE FROM @copy_state");
        await session.change("INSERT INTO @copy_state (state) VALUES (:state)", { state });
      }),
    close: () => db.close(),
  };
}

async function columnsOf(db: PostgresDatabase, table: string): Promise<Columns> {
  const sql = `SELECT column_name AS name, data_type AS type FROM information_schema.columns
    WHERE table_schema = :schema AND table_name = :table ORDER BY ordinal_position`;
  type Row = { readonly name: string; readonly type: string };
  const rows = await db.read<Row>(sql, { schema: db.schema, table });
  return new Map(rows.map(({ name, type }) => [name, KINDS[type] ?? "other"]));
}

/** Texts of better-auth's tables are sorted by the database's rules otherwise. */
const inBytes = (column: string, kinds: Columns): string =>
  `${quoted(column)}${kinds.get(column) === "text" ? ' COLLATE "C"' : ""}`;

function toCopied(row: Readonly<Record<string, unknown>>): CopiedRow {
  const values = Object.entries(row).map(([column, value]) => {
    if (typeof value === "boolean") return [column, Number(value)];
    return [column, value instanceof Date ? value.toISOString() : value];
  });
  return Object.fromEntries(values) as CopiedRow;
}

function fromCopied(row: CopiedRow, kinds: Columns): Readonly<Record<string, unknown>> {
  const values = Object.entries(row).map(([column, value]) => {
    const kind = kinds.get(column);
    if (value !== null && kind === "flag") return [column, value === 1];
    if (typeof value === "number" && kind === "time")
      return [column, new Date(value).toISOString()];
    return [column, typeof value === "string" ? withoutZeros(value) : value];
  });
  return Object.fromEntries(values);
}

import type { CopiedTable } from "./tables.ts";

/** A value as SQLite has it: flags are 0 or 1, times of better-auth ISO texts. */
export type CopiedValue = string | number | null;
export type CopiedRow = Readonly<Record<string, CopiedValue>>;
export type Key = readonly CopiedValue[];

/** One end of a copy. Rows are in the order of the bytes of their keys. */
export type Side = {
  /** The columns of a table; empty where there is no such table. */
  readonly columns: (table: CopiedTable) => Promise<readonly string[]>;
  /** Rows, and the sums of the table's columns, as exact decimal texts. */
  readonly sums: (table: CopiedTable) => Promise<readonly string[]>;
  /** The rows behind a key, or from the first on. */
  readonly read: (
    table: CopiedTable,
    span: {
      readonly columns: readonly string[];
      readonly after: Key | undefined;
      readonly limit: number;
    },
  ) => Promise<readonly CopiedRow[]>;
  readonly lastKey: (table: CopiedTable) => Promise<Key | undefined>;
  /** All of the rows or none. */
  readonly write: (
    table: CopiedTable,
    columns: readonly string[],
    rows: readonly CopiedRow[],
  ) => Promise<void>;
  /** Numbers that the database gives go on behind those that were copied. */
  readonly goOnNumbering: (table: CopiedTable) => Promise<void>;
  /** Of a copy to here: undefined where none was begun. */
  readonly copyState: () => Promise<"unfinished" | "finished" | undefined>;
  readonly setCopyState: (state: "unfinished" | "finished") => Promise<void>;
  readonly close: () => Promise<void>;
};

import type { FleetProcess } from "../fleet-store.ts";

/** As both databases have it. */
export type FleetRow = Omit<FleetProcess, "heads" | "open" | "marks"> & {
  readonly heads: string;
  readonly open: string;
  readonly marks: string;
};

/** `table`: as the adapter names it. */
export const fleetSql = (table: string): string =>
  `SELECT name, worker, process, version, started_at AS "startedAt",
    calls_per_second AS "callsPerSecond", leases, heads, open, marks FROM ${table}`;

/** `now`: the moment, as the adapter writes it. */
export const tellSql = (table: string, now: string): string =>
  `INSERT INTO ${table}
    (name, worker, process, version, started_at, calls_per_second, leases, heads, open, marks, told_at)
  VALUES (:name, :worker, :process, :version, :startedAt, :callsPerSecond, :leases, :heads, :open, :marks, ${now})
  ON CONFLICT (name, worker) DO UPDATE SET
    process = excluded.process, version = excluded.version, started_at = excluded.started_at,
    calls_per_second = excluded.calls_per_second, leases = excluded.leases,
    heads = excluded.heads, open = excluded.open, marks = excluded.marks, told_at = excluded.told_at`;

export const fleetRow = ({ heads, open, marks, ...rest }: FleetProcess): FleetRow => ({
  ...rest,
  heads: JSON.stringify(heads),
  open: JSON.stringify(open),
  marks: JSON.stringify(marks),
});

export const fleetProcess = ({ heads, open, marks, ...rest }: FleetRow): FleetProcess => ({
  ...rest,
  heads: JSON.parse(heads),
  open: JSON.parse(open),
  marks: JSON.parse(marks),
});

export const tellLossSql = (table: string): string =>
  `INSERT INTO ${table} (one, found_at) VALUES (1, :now)
   ON CONFLICT (one) DO UPDATE SET found_at = excluded.found_at`;

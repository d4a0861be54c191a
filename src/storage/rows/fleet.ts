import type { FleetProcess } from "../fleet-store.ts";

/** As both databases have it. */
export type FleetRow = Omit<FleetProcess, "heads" | "marks"> & {
  readonly heads: string;
  readonly marks: string;
};

/** `table`: as the adapter names it. */
export const fleetSql = (table: string): string =>
  `SELECT name, worker, process, version, started_at AS "startedAt",
    calls_per_second AS "callsPerSecond", leases, heads, marks FROM ${table}`;

/** `now`: the moment, as the adapter writes it. */
export const tellSql = (table: string, now: string): string =>
  `INSERT INTO ${table}
    (name, worker, process, version, started_at, calls_per_second, leases, heads, marks, told_at)
  VALUES (:name, :worker, :process, :version, :startedAt, :callsPerSecond, :leases, :heads, :marks, ${now})
  ON CONFLICT (name, worker) DO UPDATE SET
    process = excluded.process, version = excluded.version, started_at = excluded.started_at,
    calls_per_second = excluded.calls_per_second, leases = excluded.leases,
    heads = excluded.heads, marks = excluded.marks, told_at = excluded.told_at`;

export const fleetRow = ({ heads, marks, ...rest }: FleetProcess): FleetRow => ({
  ...rest,
  heads: JSON.stringify(heads),
  marks: JSON.stringify(marks),
});

export const fleetProcess = ({ heads, marks, ...rest }: FleetRow): FleetProcess => ({
  ...rest,
  heads: JSON.parse(heads),
  marks: JSON.parse(marks),
});

export const tellLossSql = (table: string): string =>
  `INSERT INTO ${table} (one, found_at) VALUES (1, :now)
   ON CONFLICT (one) DO UPDATE SET found_at = excluded.found_at`;

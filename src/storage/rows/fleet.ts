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

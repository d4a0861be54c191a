import { type FleetStore, GONE_MS, type UpstreamName } from "../fleet-store.ts";
import {
  type FleetRow,
  fleetProcess,
  fleetRow,
  fleetSql,
  tellLossSql,
  tellSql,
} from "../rows/fleet.ts";
import type { PostgresDatabase } from "./database.ts";

const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

const TELL = `
  WITH before AS (SELECT process FROM @fleet WHERE name = :name AND worker = :worker),
  gone AS (
    DELETE FROM @fleet
    WHERE told_at <= ${NOW} - ${GONE_MS} AND NOT (name = :name AND worker = :worker)
  )
  ${tellSql("@fleet", NOW)}
  RETURNING (SELECT process FROM before) AS before`;

export function fleetStore(db: PostgresDatabase): FleetStore {
  return {
    tell: async (own) => {
      const [row] = await db.write<{ readonly before: string | null }>(TELL, fleetRow(own));
      return row?.before ?? undefined;
    },
    list: async () => {
      const sql = `${fleetSql("@fleet")} WHERE told_at > ${NOW} - ${GONE_MS} ORDER BY name, worker`;
      return (await db.read<FleetRow>(sql)).map(fleetProcess);
    },
    leave: async (process) => {
      await db.change("DELETE FROM @fleet WHERE process = :process", { process });
    },
    setDrained: async ({ network, upstream }, isDrained) => {
      const sql = isDrained
        ? "INSERT INTO @drained_upstreams VALUES (:network, :upstream) ON CONFLICT DO NOTHING"
        : "DELETE FROM @drained_upstreams WHERE network = :network AND upstream = :upstream";
      await db.change(sql, { network, upstream });
    },
    drained: () => db.read<UpstreamName>("SELECT network, upstream FROM @drained_upstreams"),
    tellLoss: async (now) => {
      await db.change(tellLossSql("@lost_commits"), { now });
    },
    lossFound: async () => {
      const sql = "SELECT found_at FROM @lost_commits";
      const [row] = await db.read<{ readonly found_at: number }>(sql);
      return row?.found_at;
    },
    forgetLoss: async () => {
      await db.change("DELETE FROM @lost_commits");
    },
  };
}

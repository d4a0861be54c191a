import type { DatabaseSync } from "node:sqlite";
import { type FleetStore, GONE_MS, type UpstreamName } from "../fleet-store.ts";
import {
  type FleetRow,
  fleetProcess,
  fleetRow,
  fleetSql,
  tellLossSql,
  tellSql,
} from "../rows/fleet.ts";
import type { Blocking } from "./database.ts";

export function fleetStatements(db: DatabaseSync): Blocking<FleetStore> {
  const before = db.prepare("SELECT process FROM fleet WHERE name = ? AND worker = ?");
  const tell = db.prepare(tellSql("fleet", ":now"));
  const forget = db.prepare("DELETE FROM fleet WHERE told_at <= ?");
  const list = db.prepare(`${fleetSql("fleet")} WHERE told_at > ? ORDER BY name, worker`);
  const leave = db.prepare("DELETE FROM fleet WHERE process = ?");
  const drain = db.prepare(
    "INSERT INTO drained_upstreams (network, upstream) VALUES (?, ?) ON CONFLICT DO NOTHING",
  );
  const enable = db.prepare("DELETE FROM drained_upstreams WHERE network = ? AND upstream = ?");
  const drained = db.prepare("SELECT network, upstream FROM drained_upstreams");
  const tellLoss = db.prepare(tellLossSql("lost_commits"));
  const lossFound = db.prepare("SELECT found_at FROM lost_commits");
  const forgetLoss = db.prepare("DELETE FROM lost_commits");
  return {
    tell: (own, now) => {
      const row = before.get(own.name, own.worker) as { readonly process: string } | undefined;
      tell.run({ ...fleetRow(own), now });
      // Nobody asks for them any more.
      if (row === undefined) forget.run(now - GONE_MS);
      return row?.process;
    },
    list: (now) => (list.all(now - GONE_MS) as FleetRow[]).map(fleetProcess),
    leave: (process) => {
      leave.run(process);
    },
    setDrained: ({ network, upstream }, isDrained) => {
      (isDrained ? drain : enable).run(network, upstream);
    },
    drained: () => drained.all() as UpstreamName[],
    tellLoss: (now) => {
      tellLoss.run({ now });
    },
    lossFound: () => (lossFound.get() as { readonly found_at: number } | undefined)?.found_at,
    forgetLoss: () => {
      forgetLoss.run();
    },
  };
}

import type { Config } from "../config/schema.ts";
import type { Ledger } from "../credits/ledger.ts";
import type { Time } from "../lib/clock.ts";
import type { Network } from "../networks/network.ts";
import type { FleetProcess } from "../storage/fleet-store.ts";
import type { Storage } from "../storage/store.ts";
import type { Logger } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { FleetMember } from "./fleet-member.ts";
import type { LowestCaps } from "./lowest-caps.ts";
import { marksOf } from "./marks.ts";

const DIFFERENCE = "other gateways that serve from the same storage have other settings";
const RIVAL =
  "another gateway that serves from the same storage has this name: give each its own, fleet.name";

/** This process among those that serve from the storage. */
export function joinFleet(
  config: Config,
  parts: {
    readonly storage: Pick<Storage, "fleet">;
    readonly log: Logger;
    /** Of a worker, from 1 on. */
    readonly number?: number;
    readonly clock: Time;
    readonly metrics: Pick<Metrics, "callCount">;
    readonly ledger: Ledger;
    readonly open: () => FleetProcess["open"];
    readonly process: string;
    readonly served: readonly Network[];
    readonly caps: LowestCaps;
  },
): FleetMember {
  const { storage, clock, log, metrics, ledger, open, process, served, caps, number = 1 } = parts;
  return new FleetMember(
    { name: config.fleet.name, worker: number, process, marks: marksOf(config) },
    {
      ...{ store: storage.fleet, clock, networks: served },
      calls: () => metrics.callCount,
      leases: () => ledger.leases,
      open,
      onGateways: (all) => caps.follow(all.map(({ marks }) => marks)),
      onDifference: (settings) => log.warn({ settings }, DIFFERENCE),
      onRival: (name) => log.error({ name }, RIVAL),
    },
  );
}

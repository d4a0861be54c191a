import type { Config } from "../config/schema.ts";
import type { Ledger } from "../credits/ledger.ts";
import type { FleetMember } from "../fleet/fleet-member.ts";
import { marksOf } from "../fleet/marks.ts";
import { readCertificates } from "../gateway/fronts/certificates.ts";
import type { GatewayServer } from "../gateway/fronts/server.ts";
import type { ServedNetworks } from "../networks/served-networks.ts";
import type { Storage } from "../storage/store.ts";
import { type Logger, setLogLevel } from "../telemetry/log.ts";
import { missingPlans } from "./plans-in-use.ts";
import { faultsOf, type PrepareReload } from "./reloads.ts";

export type ReloadedParts = {
  readonly storage: Pick<Storage, "accounts">;
  readonly log: Logger;
  readonly networks: ServedNetworks;
  readonly plans: { all: Config["plans"] };
  readonly ledger: Ledger;
  readonly fleet: FleetMember;
  readonly server: GatewayServer;
  /** File descriptors that clients must not use up. */
  readonly reservedFiles: (config: Config) => number;
};

/** Switches the parts of one process to another configuration: all of them or none. */
export function preparer(parts: ReloadedParts): PrepareReload {
  const prepare = preparation(parts);
  return (config) => prepare(config).catch(faultsOf);
}

/** @throws ConfigError, StorageError */
function preparation(parts: ReloadedParts): PrepareReload {
  const { storage, log, networks, plans, ledger, fleet, server } = parts;
  return async (config) => {
    if (config.server.tls !== undefined) readCertificates(config.server.tls);
    const missing = await missingPlans(storage, plans.all, config.plans);
    if (missing.length > 0) return missing;
    const prepared = await networks.prepare(config.networks);
    if (!("commit" in prepared)) return prepared;
    const commit = async () => {
      await prepared.commit();
      plans.all = config.plans;
      ledger.plans.replace(config.plans);
      fleet.setMarks(marksOf(config));
      setLogLevel(log, config.log.level);
      server.limit({ ...config.server, reserved: parts.reservedFiles(config) });
    };
    return { commit, abort: prepared.abort };
  };
}

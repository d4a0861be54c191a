import { type FleetOverview, fleetOf } from "../../fleet/gateways.ts";
import type { ApiParts } from "../api/parts.ts";
import { Problem } from "../api/problem.ts";
import { type BoundRoute, bind } from "../api/route.ts";
import {
  drainUpstream,
  enableUpstream,
  type NetworksOverview,
  networksOverview,
  readOperatorNetworks,
  streamNetworks,
} from "../contract/operator-networks.ts";
import { AdminClient } from "../gateway/admin-client.ts";
import { NetworksView } from "../gateway/networks-view.ts";
import { Looks, type Sight } from "../live/looks.ts";

const LOOK_EVERY_MS = 1000;

export function operatorNetworkRoutes(parts: ApiParts): BoundRoute[] {
  const { clock, log, storage } = parts;
  const admin = parts.admin && new AdminClient(parts.admin);
  const view = admin && new NetworksView(admin, clock);
  const readFleet = async (): Promise<FleetOverview | null> => {
    try {
      return fleetOf(await storage.fleet.list(clock.now()));
    } catch (error) {
      log.error({ cause: String(error) }, "the list of gateways cannot be read");
      return null;
    }
  };
  const read = async (): Promise<NetworksOverview> => {
    const [networks = [], fleet] = await Promise.all([view?.read(), readFleet()]);
    return { admin: view !== undefined, networks, fleet };
  };
  const live = new Looks(() => see(read), { everyMs: LOOK_EVERY_MS, log, clock });
  return [
    bind(readOperatorNetworks, read),
    bind(streamNetworks, async () => ({ subscribe: (send) => live.watch("networks", send) })),
    bind(drainUpstream, async ({ params, note }) => {
      await setDrained(admin, params, true);
      note({ action: "upstream.drain", target: targetOf(params) });
      return { ...params, drained: true };
    }),
    bind(enableUpstream, async ({ params, note }) => {
      await setDrained(admin, params, false);
      note({ action: "upstream.enable", target: targetOf(params) });
      return { ...params, drained: false };
    }),
  ];
}

type UpstreamName = { readonly network: string; readonly upstream: string };

const targetOf = ({ network, upstream }: UpstreamName): string => `${network}/${upstream}`;

function setDrained(
  admin: AdminClient | undefined,
  name: UpstreamName,
  drained: boolean,
): Promise<void> {
  if (admin !== undefined) return admin.setDrained(name, drained);
  throw new Problem(
    "conflict",
    "the gateway's admin port is not opened; write admin: {} into its configuration and restart it",
  );
}

/** A gateway that does not answer is an event too: the page shows it, and goes on. */
async function see(read: () => Promise<NetworksOverview>): Promise<Sight> {
  try {
    return { event: "networks", json: JSON.stringify(networksOverview.parse(await read())) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { event: "fault", json: JSON.stringify({ message: error.message }) };
  }
}

import type { Clock } from "../../lib/clock.ts";
import type { NetworkOverview } from "../../networks/overview.ts";
import type { NetworkOverviewView } from "../contract/operator-networks.ts";
import type { AdminClient } from "./admin-client.ts";
import { type Counters, countersOf, rateOf, upstreamName } from "./traffic.ts";

/** A rate over a shorter time jumps; one over a longer time is not of now. */
const SHORTEST_MS = 900;
const LONGEST_MS = 15_000;

/** The networks as the admin port shows them, with the traffic between two looks. */
export class NetworksView {
  readonly #admin: AdminClient;
  readonly #clock: Clock;
  /** Oldest first; the last one's time is the last look's. */
  #looks: readonly Counters[] = [];

  constructor(admin: AdminClient, clock: Clock) {
    this.#admin = admin;
    this.#clock = clock;
  }

  /** @throws Problem where the gateway does not answer */
  async read(): Promise<NetworkOverviewView[]> {
    const [networks, metrics] = await Promise.all([this.#admin.networks(), this.#admin.metrics()]);
    const now = countersOf(metrics, this.#clock.monotonic());
    const recent = this.#looks.filter(({ atMs }) => now.atMs - atMs <= LONGEST_MS);
    const before = recent.findLast(({ atMs }) => now.atMs - atMs >= SHORTEST_MS);
    // Those before it are of no more use to any later look.
    this.#looks = [...recent.slice(before ? recent.indexOf(before) : 0), now];
    return networks.map((network) => withTraffic(network, { before, now }));
  }
}

function withTraffic(
  network: NetworkOverview,
  looks: { readonly before: Counters | undefined; readonly now: Counters },
): NetworkOverviewView {
  const { name, slots, upstreams } = network;
  return {
    ...network,
    traffic: rateOf("networks", name, looks),
    ...(slots && { slots: { ...slots } }),
    upstreams: upstreams.map((upstream) => {
      const rate = rateOf("upstreams", upstreamName(name, upstream.name), looks);
      const traffic = rate && { calls: rate.calls, failures: rate.failed };
      return { ...upstream, lacks: [...upstream.lacks], traffic };
    }),
  } as NetworkOverviewView;
}

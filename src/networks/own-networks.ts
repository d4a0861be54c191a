import type { DiskCache } from "../cache/disk-cache.ts";
import type { MemoryCache } from "../cache/memory-cache.ts";
import type { NetworkConfig } from "../config/network-schema.ts";
import type { Time } from "../lib/clock.ts";
import type { MemoryBudget } from "../lib/memory-budget.ts";
import { NetworkBoard, type WorkerBoards } from "../lib/network-board.ts";
import type { TimerWheel } from "../lib/timer-wheel.ts";
import type { PartnerLimits, Storage } from "../storage/store.ts";
import type { Logger } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { EventLoop } from "../wire/event-loop.ts";
import { buildNetwork, showState } from "./build-network.ts";
import { connector } from "./build-upstream.ts";
import type { Network } from "./network.ts";
import type { NodeHistory } from "./node-history.ts";
import {
  type BuiltNetwork,
  type NetworkChanges,
  ServedNetworks,
  type ServedNetworksParts,
} from "./served-networks.ts";

export type OwnNetworksParts = Pick<ServedNetworksParts, "changed"> & {
  readonly clock: Time;
  readonly timers: TimerWheel;
  readonly log: Logger;
  readonly loop: EventLoop;
  readonly storage: Pick<Storage, "partners">;
  readonly metrics: Metrics;
  /** Of how the nodes did. */
  readonly history: NodeHistory;
  readonly cache: MemoryCache;
  readonly disk: DiskCache | undefined;
  readonly memory: MemoryBudget;
  /** The caps on calls to partners that hold now; `own`: those of the file. */
  readonly capsOf: (network: string, own: PartnerLimits) => PartnerLimits;
  /** 0 to 1, evenly. */
  readonly random: () => number;
  /** Runs it once all calls that arrived in this turn of the event loop were read. */
  readonly turnEnds: (run: () => void) => void;
  readonly boards?: WorkerBoards | undefined;
};

/** The networks of this process. */
export function ownNetworks(
  configs: readonly NetworkConfig[],
  parts: OwnNetworksParts,
): ServedNetworks {
  const changed = (changes: NetworkChanges) => {
    for (const network of [...changes.added, ...changes.replaced]) showState(network);
    for (const { metrics } of changes.removed) metrics.routing.watch(undefined);
    parts.changed(changes);
  };
  const build = builder(parts);
  const networks = new ServedNetworks(configs, { build, timers: parts.clock, changed });
  for (const network of networks.list) showState(network);
  return networks;
}

function builder(parts: OwnNetworksParts): ServedNetworksParts["build"] {
  const { clock, timers, log, loop, storage, metrics, cache, disk } = parts;
  const { random, turnEnds, capsOf, history } = parts;
  const connect = connector(parts);
  const placeOf = places(parts);
  let built = 0;
  return (config, before): BuiltNetwork => {
    const { name, partnerCaps = {} } = config;
    // The one before may keep answers of blocks that this one does not know to be replaced.
    built += 1;
    const prefix = `${name} ${built} `;
    const { board, placed } = placeOf(name, before);
    const network = buildNetwork(config, {
      ...{ clock, log, timers, random, turnEnds, connect, partners: storage.partners, disk },
      cache: { isOff: cache.isOff, open: (method) => cache.open(prefix + method) },
      partnerCaps: () => capsOf(name, partnerCaps),
      buffers: loop.buffers,
      board,
      metrics: metrics.network(name),
      noteOf: (upstream) => history.observer(name, upstream),
    });
    placed(network);
    return { network, forget: () => cache.close(prefix) };
  };
}

/** The place on its board of a network that is to be built; `placed` is told of it. */
function places({ boards }: OwnNetworksParts) {
  const byName = new Map<string, NetworkBoard>();
  const halves = new WeakMap<Network, number>();
  return (name: string, before: Network | undefined) => {
    if (boards === undefined) return { board: undefined, placed: () => undefined };
    const known = before && byName.get(name);
    const network = known ?? new NetworkBoard(boards, name);
    byName.set(name, network);
    const { half, place } = network.next(before && halves.get(before));
    return { board: place, placed: (built: Network) => void halves.set(built, half) };
  };
}

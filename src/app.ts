import { randomBytes, randomUUID } from "node:crypto";
import { Authenticator, type Identity } from "./access/authenticator.ts";
import { ClientAddress } from "./access/client-address.ts";
import { UnknownKeys } from "./access/unknown-keys.ts";
import { ADMIN_CONNECTIONS, AdminServer } from "./admin/admin-server.ts";
import { obstacles } from "./admin/obstacles.ts";
import { OwnOperations, type ReloadResult } from "./admin/operations.ts";
import { DiskCache } from "./cache/disk-cache.ts";
import { MemoryCache } from "./cache/memory-cache.ts";
import { clientMemoryBytes } from "./config/client-memory.ts";
import { MOST_SUBSCRIPTIONS } from "./config/plans.ts";
import type { Config } from "./config/schema.ts";
import { ownLedger } from "./credits/own-ledger.ts";
import { systemScheduler } from "./credits/scheduler.ts";
import { joinFleet } from "./fleet/join-fleet.ts";
import { LostCommits } from "./fleet/lost-commits.ts";
import { LowestCaps } from "./fleet/lowest-caps.ts";
import { openByKey } from "./fleet/open-by-key.ts";
import { AddressBook } from "./gateway/fronts/address.ts";
import { Reception } from "./gateway/fronts/reception.ts";
import { RequestIds } from "./gateway/fronts/request-ids.ts";
import { GatewayServer } from "./gateway/fronts/server.ts";
import { ownTraces } from "./gateway/own-traces.ts";
import { Pipeline, type PipelineParts } from "./gateway/pipeline.ts";
import { RequestLog } from "./gateway/request-log.ts";
import { type Clock, systemTimers, type Time } from "./lib/clock.ts";
import { MemoryBudget } from "./lib/memory-budget.ts";
import type { WorkerBoards } from "./lib/network-board.ts";
import { TimerWheel } from "./lib/timer-wheel.ts";
import type { Network } from "./networks/network.ts";
import { NodeHistory } from "./networks/node-history.ts";
import { ownNetworks } from "./networks/own-networks.ts";
import { preparer, type ReloadedParts } from "./reload/prepare-reload.ts";
import type { PrepareReload } from "./reload/reloads.ts";
import { storageClock } from "./storage/storage-clock.ts";
import type { PartnerLimits, Storage } from "./storage/store.ts";
import { EventMeter, type EventMeterParts } from "./subscriptions/event-meter.ts";
import { Filters } from "./subscriptions/filters.ts";
import { NetworkFeeds, type NetworkFeedsParts } from "./subscriptions/network-feeds.ts";
import { CallLog, failureLine, type Logger } from "./telemetry/log.ts";
import { Metrics } from "./telemetry/metrics.ts";
import { accountBalance } from "./usage/account-usage.ts";
import { ownUsage } from "./usage/own-usage.ts";
import { readAtMostOncePerSecond } from "./usage/recent-usage.ts";
import type { EventLoop } from "./wire/event-loop.ts";

export type GatewayParts = {
  readonly storage: Storage;
  readonly log: Logger;
  readonly clock: Clock;
  readonly loop: EventLoop;
  /** Of a worker, from 1 on. */
  readonly number?: number;
  /** Where workers tell each other of the networks' heads; absent in a single process. */
  readonly boards?: WorkerBoards | undefined;
  /** Reads the file again; absent where there is none. */
  readonly reload?: () => Promise<ReloadResult>;
};

export type RunningGateway = {
  /** The ports that were taken. */
  readonly port: number;
  readonly adminPort: number | undefined;
  readonly operations: OwnOperations;
  /** Makes it ready to go on by another configuration. */
  readonly prepare: PrepareReload;
  /** Finishes the calls in the air (bounded), then ends everything but the storage. */
  readonly stop: () => Promise<void>;
};

/**
 * Builds the gateway from its configuration and opens its ports.
 * @throws where a port cannot be opened or a certificate cannot be read
 */
export async function startGateway(config: Config, parts: GatewayParts): Promise<RunningGateway> {
  const { storage, log, loop } = parts;
  const clock: Time = storageClock(storage, { ...systemTimers, ...parts.clock });
  const shared = sharedParts(config, parts, clock);
  const { metrics, disk, memory, caps, timers, history } = shared;
  const networks = ownNetworks(config.networks, {
    ...{ ...parts, ...shared },
    changed: (changes) => {
      addresses.serve(networks.addresses);
      feeds.change(changes);
      server.moveOn();
    },
  });
  const served = networks.list;
  const losses = new LostCommits({ store: storage.fleet, clock, log });
  const onForgotten = losses.found;
  const authenticator = authenticatorOf(config, { storage, clock, log, onForgotten });
  const process = randomUUID();
  const scheduler = { ...systemScheduler, ...clock };
  const credits = ownLedger(config, { storage, scheduler, log, process, onForgotten });
  const { ledger } = credits;
  const plans: Plans = { all: config.plans };
  const usage = ownUsage(config, { ...parts, metrics, clock, process });
  const feeds = feedsOf(plans, served, { clock, timers, ledger, usage, buffers: loop.buffers });
  const requests = config.requestLog && new RequestLog(config.requestLog, { ...shared, log });
  const { traces, ...spans } = ownTraces(config, { ...shared, log, process, bytes: randomBytes });
  const addresses = new AddressBook(networks.addresses);
  const filters = new Filters({ store: storage.filters, feeds, clock, random: randomBytes });
  const server = new GatewayServer(config.server, {
    memory,
    feeds,
    ...wayIn(config, { addresses, authenticator, clock }),
    pipeline: pipelineOf(plans, { storage, log, clock, ledger, usage, filters, requests, traces }),
    ids: new RequestIds(randomBytes),
    ...{ authenticator, metrics, ledger, clock, loop, log },
  });
  const check = obstacles({ storage, clock, ledger, usage });
  const open = () => openByKey(server.socketsByKey, feeds.openByKey);
  const member = { clock, metrics, ledger, open, process, served, caps };
  const fleet = joinFleet(config, { ...parts, ...member });
  const watched = { networks: served, fleet, metrics, reload: parts.reload };
  const isHealthy = () => !storage.isGone();
  const operations = new OwnOperations({ ...watched, obstacles: check, isHealthy });
  const admin = config.admin && new AdminServer(config.admin, operations);
  const stop = async () => {
    const parts = [server, admin, fleet, losses, credits, usage, authenticator, requests, spans];
    for (const part of parts) await part?.stop();
    for (const part of [networks, history]) await part.stop();
    await disk?.close();
  };
  const prepare = preparer({
    ...{ ...parts, networks, plans, ledger, fleet, server },
    reservedFiles: filesBesideClients,
  });
  try {
    await fleet.begin();
    networks.start();
    for (const part of [credits, usage]) part.start();
    history.start(served);
    await authenticator.start();
    const port = await server.listen();
    fleet.start(port);
    return { port, adminPort: await admin?.listen(), operations, prepare, stop };
  } catch (error) {
    // A port that is taken: what was started must not keep the process alive.
    await stop();
    throw error;
  }
}

/** The plans as they are now: a reload brings others. */
type Plans = ReloadedParts["plans"];

/** What all networks share. */
function sharedParts(config: Config, { storage, log }: GatewayParts, clock: Time) {
  const metrics = new Metrics();
  const cache = new MemoryCache({ maxBytes: config.cache.memoryBytes });
  metrics.watchCache(cache);
  metrics.watchStorage(storage.traffic);
  const disk = diskOf(config, { log, metrics, clock });
  const memory = memoryOf(config, metrics);
  const timers = new TimerWheel(clock);
  const caps = new LowestCaps();
  const onStoreFailure = failureLine(log, "how nodes did cannot be written; it is written later");
  const history = new NodeHistory({ store: storage.nodes, clock, onStoreFailure });
  return {
    ...{ clock, timers, metrics, cache, disk, memory, caps, history, random: Math.random },
    capsOf: (network: string, own: PartnerLimits) => caps.of(network, own),
    turnEnds: (run: () => void) => void setImmediate(run),
  };
}

function pipelineOf(
  plans: Plans,
  {
    storage,
    log,
    ...parts
  }: Pick<GatewayParts, "storage" | "log"> &
    Pick<PipelineParts, "clock" | "ledger" | "usage" | "filters" | "requests" | "traces">,
): Pipeline {
  const { clock } = parts;
  return new Pipeline({
    ...parts,
    log: new CallLog(log, clock),
    mayFailOver: ({ plan }) => plans.all[plan]?.failover === true,
    usageOf: readAtMostOncePerSecond(usageOf({ storage, plans, clock }), clock),
  });
}

function feedsOf(
  plans: Plans,
  networks: readonly Network[],
  {
    clock,
    timers,
    buffers,
    ...paid
  }: Pick<NetworkFeedsParts, "clock" | "timers" | "buffers"> & EventMeterParts,
): NetworkFeeds {
  return new NetworkFeeds(networks, {
    ...{ clock, timers, buffers, meter: new EventMeter(paid), random: randomBytes },
    later: (run) => void setImmediate(run),
    mostOf: ({ plan }) => plans.all[plan]?.maxSubscriptions ?? MOST_SUBSCRIPTIONS,
  });
}

function authenticatorOf(
  { keys }: Config,
  {
    log,
    ...parts
  }: Pick<GatewayParts, "storage" | "log"> & {
    readonly clock: Time;
    readonly onForgotten: () => void;
  },
): Authenticator {
  const onStoreFailure = failureLine(log, "the store of keys does not answer");
  return new Authenticator(keys, { ...parts, onStoreFailure });
}

/** Files of the program itself: standard streams, the database, modules. */
const OWN_FILES = 64;

/** File descriptors that clients must not use up. */
function filesBesideClients({ networks }: Config): number {
  let files = OWN_FILES + ADMIN_CONNECTIONS;
  for (const { upstreams } of networks) {
    for (const { maxConnections } of upstreams) files += maxConnections;
  }
  return files;
}

/** The parts that decide who is let in. */
function wayIn(
  config: Config,
  parts: {
    readonly addresses: AddressBook;
    readonly authenticator: Authenticator;
    readonly clock: Time;
  },
) {
  const clientAddress = new ClientAddress(config.server.trustProxy);
  const unknownKeys = new UnknownKeys(parts.clock, config.server.workers);
  return {
    reception: new Reception({ ...parts, clientAddress, unknownKeys }),
    doors: {
      reserved: filesBesideClients(config),
      isShared: (address: string) => clientAddress.isProxy(address),
    },
  };
}

function diskOf(
  { cache }: Config,
  {
    log,
    metrics,
    clock,
  }: Pick<GatewayParts, "log"> & { readonly metrics: Metrics; readonly clock: Time },
): DiskCache | undefined {
  const disk =
    cache.disk && DiskCache.open(cache.disk, { log, timers: clock, random: randomBytes });
  if (disk !== undefined) metrics.watchDiskCache(disk);
  return disk;
}

/** Bounds what clients make the gateway hold. */
function memoryOf({ server }: Config, metrics: Metrics): MemoryBudget {
  const memory = new MemoryBudget(clientMemoryBytes(server));
  metrics.watchMemory(memory);
  return memory;
}

/** The result of tollgate_usage: what `usage --json` prints, without the calls. */
function usageOf(parts: {
  readonly storage: Storage;
  readonly plans: Plans;
  readonly clock: Clock;
}): (identity: Identity) => Promise<string> {
  return async ({ accountId, email, plan, accountLimits }) => {
    const account = { id: accountId, email, plan, limits: accountLimits };
    const { storage, plans, clock } = parts;
    const balance = await accountBalance({ storage, plans: plans.all }, account, clock.now());
    return JSON.stringify(balance);
  };
}

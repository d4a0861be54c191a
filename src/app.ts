import { randomUUID } from "node:crypto";
import { Authenticator, type Identity } from "./access/authenticator.ts";
import { ClientAddress } from "./access/client-address.ts";
import { MemoryCache } from "./cache/memory-cache.ts";
import type { Config } from "./config/schema.ts";
import { Ledger } from "./credits/ledger.ts";
import { systemScheduler } from "./credits/scheduler.ts";
import { AddressBook } from "./gateway/address.ts";
import { type AdminParts, AdminServer } from "./gateway/admin-server.ts";
import { Pipeline } from "./gateway/pipeline.ts";
import { Reception } from "./gateway/reception.ts";
import { RequestIds } from "./gateway/request-ids.ts";
import { GatewayServer } from "./gateway/server.ts";
import type { Clock } from "./lib/clock.ts";
import { TimerWheel } from "./lib/timer-wheel.ts";
import { buildNetwork } from "./networks/build-network.ts";
import { connector } from "./networks/build-upstream.ts";
import type { Network } from "./networks/network.ts";
import type { Storage } from "./storage/store.ts";
import { CallLog, type Logger } from "./telemetry/log.ts";
import { Metrics } from "./telemetry/metrics.ts";
import { accountBalance } from "./usage/account-usage.ts";
import { UsageRecorder } from "./usage/usage-recorder.ts";

export type GatewayParts = {
  readonly storage: Storage;
  readonly log: Logger;
  readonly clock: Clock;
};

export type RunningGateway = {
  /** The ports that were taken. */
  readonly port: number;
  readonly adminPort: number | undefined;
  /** Finishes the calls in the air (bounded), then ends everything but the storage. */
  readonly stop: () => Promise<void>;
};

/**
 * Builds the gateway from its configuration and opens its ports.
 * @throws where a port cannot be opened or a certificate cannot be read
 */
export async function startGateway(config: Config, parts: GatewayParts): Promise<RunningGateway> {
  const { storage, log, clock } = parts;
  const metrics = new Metrics();
  const networks = buildNetworks(config, { storage, log, clock, metrics });
  const storeFailed = (text: string) => (cause: unknown) =>
    log.error({ cause: String(cause) }, text);
  const authenticator = new Authenticator(
    { pepper: config.keys?.pepper },
    {
      storage,
      clock,
      onStoreFailure: storeFailed("the store of keys does not answer"),
    },
  );
  const ledger = new Ledger(
    { plans: config.plans, process: randomUUID() },
    {
      store: storage.ledger,
      scheduler: { ...systemScheduler, ...clock },
      onStoreFailure: storeFailed("the store of the ledger does not answer"),
    },
  );
  const usage = new UsageRecorder(
    { keep: config.usage.keep },
    {
      store: storage.usage,
      clock,
      onStoreFailure: storeFailed("usage cannot be written; it is kept in memory"),
      onLost: (calls) => {
        metrics.usageLost.inc(calls);
        log.error({ calls }, "usage was lost: the store failed for too long");
      },
    },
  );
  const addresses = new AddressBook(networks);
  const clientAddress = new ClientAddress(config.server.trustProxy);
  const server = new GatewayServer(config.server, {
    reception: new Reception({ addresses, authenticator, clientAddress }),
    pipeline: new Pipeline({
      clock,
      log: new CallLog(log, clock),
      ledger,
      usage,
      mayFailOver: ({ plan }) => config.plans[plan]?.failover === true,
      usageOf: usageOf({ storage, plans: config.plans, clock }),
    }),
    ids: new RequestIds(),
    authenticator,
    metrics,
    ledger,
    clock,
    log,
  });
  const served = networks.map(({ network }) => network);
  const check = obstacles({ storage, ledger, usage });
  const admin = openAdmin(config, { networks: served, metrics, obstacles: check });
  const stop = async () => {
    await server.stop();
    await admin?.stop();
    await ledger.stop();
    await usage.stop();
    await authenticator.stop();
    await Promise.all(served.map((network) => network.stop()));
  };
  try {
    for (const network of served) network.start();
    ledger.start();
    usage.start();
    await authenticator.start();
    const port = await server.listen();
    return { port, adminPort: await admin?.listen(), stop };
  } catch (error) {
    // A port that is taken: what was started must not keep the process alive.
    await stop();
    throw error;
  }
}

/** The result of tollgate_usage: what `usage --json` prints, without the calls. */
function usageOf(parts: {
  readonly storage: Storage;
  readonly plans: Config["plans"];
  readonly clock: Clock;
}): (identity: Identity) => Promise<string> {
  return async ({ accountId, email, plan, accountLimits }) => {
    const account = { id: accountId, email, plan, limits: accountLimits };
    return JSON.stringify(await accountBalance(parts, account, parts.clock.now()));
  };
}

type NetworkParts = GatewayParts & { readonly metrics: Metrics };

function buildNetworks(
  config: Config,
  parts: NetworkParts,
): { network: Network; hosts: readonly string[] }[] {
  const timers = new TimerWheel(parts.clock.monotonic);
  const { random } = Math;
  const connect = connector({ clock: parts.clock, timers, random });
  const cache = new MemoryCache({ maxBytes: config.cache.memoryBytes });
  return config.networks.map((network) => {
    const { clock, log, metrics, storage } = parts;
    const built = buildNetwork(network, {
      ...{ clock, log, timers, random, connect, partners: storage.partners, cache },
      metrics: metrics.network(network.name),
    });
    return { network: built, hosts: network.hosts };
  });
}

function openAdmin({ admin }: Config, parts: AdminParts): AdminServer | undefined {
  return admin === undefined ? undefined : new AdminServer(admin, parts);
}

/** A read shows whether the storage answers; whether it takes writes, what was written of late. */
function obstacles(parts: {
  readonly storage: Storage;
  readonly ledger: Ledger;
  readonly usage: UsageRecorder;
}): () => Promise<readonly string[]> {
  const { storage, ledger, usage } = parts;
  return async () => {
    const answers = await storage.changes.since(undefined).then(
      () => true,
      () => false,
    );
    return [
      ...(answers ? [] : ["storage: accounts and keys cannot be read"]),
      ...(ledger.isStoreFailing ? ["storage: credits cannot be counted"] : []),
      ...(usage.isStoreFailing ? ["storage: usage cannot be written"] : []),
    ];
  };
}

import type { DiskCache } from "../cache/disk-cache.ts";
import type { MemoryCache } from "../cache/memory-cache.ts";
import type {
  EvmNetworkConfig,
  NetworkConfig,
  SlotNetworkConfig,
} from "../config/network-schema.ts";
import type { Clock } from "../lib/clock.ts";
import { type BoardPlace, SharedBoard } from "../lib/shared-board.ts";
import type { Timers } from "../lib/timer-wheel.ts";
import { PartnerCaps } from "../routing/partner-caps.ts";
import { Router } from "../routing/router.ts";
import type { RoutingObserver } from "../routing/routing.ts";
import type { PartnerLimits, PartnerStore } from "../storage/store.ts";
import { failureLine, type Logger } from "../telemetry/log.ts";
import type { NetworkMetrics } from "../telemetry/metrics.ts";
import type { AskCaps, Upstream, UpstreamEvents } from "../upstreams/upstream.ts";
import type { LargeBuffers } from "../wire/bytes/large-buffers.ts";
import { buildUpstream, type Connect, type UpstreamBuildParts } from "./build-upstream.ts";
import { ChainWatch } from "./evm/chain-watch.ts";
import { EvmNetwork } from "./evm/evm-network.ts";
import type { ChainState, Network } from "./network.ts";
import { SlotNetwork } from "./slot/slot-network.ts";
import { SlotWatch } from "./slot/slot-watch.ts";

export type BuildParts = {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Runs it once all calls that arrived in this turn of the event loop were read. */
  readonly turnEnds: (run: () => void) => void;
  /** 0 to 1, evenly. */
  readonly random: () => number;
  readonly connect: Connect;
  readonly log: Logger;
  readonly metrics: NetworkMetrics;
  readonly partners: Pick<PartnerStore, "take" | "read">;
  /** Where it is kept how the attempts at each node went. */
  readonly noteOf?: UpstreamBuildParts["noteOf"];
  /** The caps on calls to partners that hold now. */
  readonly partnerCaps: () => PartnerLimits;
  readonly buffers: LargeBuffers;
  /** The answers that are kept of this network, by method. */
  readonly cache: Pick<MemoryCache, "isOff" | "open">;
  /** Where one is configured. */
  readonly disk?: DiskCache | undefined;
  /** Where the workers of this gateway tell each other of this network's head. */
  readonly board?: BoardPlace | undefined;
};

/** The part of a chain's state that routing needs. */
type Chain = Pick<ChainWatch, "refresh" | "recheck" | "reconsider" | "verify" | "seen"> &
  ChainState;

type Watched = Pick<BuildParts, "clock" | "timers" | "log"> & {
  readonly upstreams: readonly Upstream[];
};

/** One network with its upstreams, joined. Nothing is asked before `start`. */
export function buildNetwork(config: EvmNetworkConfig, parts: BuildParts): EvmNetwork;
export function buildNetwork(config: SlotNetworkConfig, parts: BuildParts): SlotNetwork;
export function buildNetwork(config: NetworkConfig, parts: BuildParts): Network;
export function buildNetwork(config: NetworkConfig, parts: BuildParts): Network {
  if (config.family === "slot") {
    return new SlotNetwork(
      config,
      join(
        config,
        parts,
        (watched) => new SlotWatch(config, { ...watched, board: boardOf(parts) }),
      ),
    );
  }
  const { routing } = parts.metrics;
  const joined = join(
    config,
    parts,
    (watched) => new ChainWatch(config, { ...watched, board: boardOf(parts) }),
  );
  joined.chain.subscribe(({ kind }) => {
    if (kind === "reorg") routing.reorganisations.inc();
  });
  return new EvmNetwork(config, joined);
}

function join<Watch extends Chain>(
  config: NetworkConfig,
  parts: BuildParts,
  watch: (watched: Watched) => Watch,
) {
  const { clock, timers, turnEnds, buffers, metrics, random } = parts;
  const log = parts.log.child({ network: config.name });
  const askCaps = capsOf(config, { ...parts, log });
  const events: UpstreamEvents = {
    advanced: () => router.wake(),
    changed: (upstream) => {
      const { name, state, breaker, lastError } = upstream;
      const isFailing = breaker.state === "open";
      if (isFailing) metrics.routing.breakerOpened(name);
      const fields = { upstream: name, state, ...(isFailing && { lastError: lastError.value }) };
      log.info(fields, "an upstream's health changed");
      chain.refresh();
    },
    answering: () => chain.refresh(),
    broke: (upstream) => chain.recheck(upstream),
    asked: () => chain.reconsider(),
  };
  const { name, family, maxResponseBytes } = config;
  const pendingTransactions = family === "evm" && config.pendingTransactions;
  const upstreams = config.upstreams.map((upstream, index) =>
    buildUpstream(
      { ...upstream, index, family, maxResponseBytes, pendingTransactions },
      { ...parts, log, askCaps, events, network: name },
    ),
  );
  const chain = watch({ clock, timers, log, upstreams });
  const router = new Router(config, {
    ...{ upstreams, clock, timers, random, askCaps },
    observer: observerOf(metrics),
    verify: (upstream, timeoutMs, done) => chain.verify(upstream, timeoutMs, done),
    seen: (upstream, block) => chain.seen(upstream, block),
  });
  const { cache } = parts;
  const disk = parts.disk?.open(config.name);
  return { upstreams, router, chain, metrics, clock, timers, turnEnds, buffers, cache, disk };
}

function boardOf<Claim>({ board }: BuildParts): SharedBoard<Claim> | undefined {
  return board && new SharedBoard(board);
}

function capsOf(
  { name }: NetworkConfig,
  { clock, timers, log, partners, partnerCaps }: BuildParts,
): AskCaps {
  const caps = new PartnerCaps(
    { network: name, caps: partnerCaps },
    {
      store: partners,
      clock,
      onStoreFailure: failureLine(log, "calls of partners cannot be counted: none are made"),
    },
  );
  return (timeoutMs, done) =>
    withinTime(timers, timeoutMs, { ask: (told) => caps.take(told), done });
}

function observerOf({ routing }: NetworkMetrics): RoutingObserver {
  return {
    hedged: routing.hedged,
    retried: () => routing.retries.inc(),
    partner: routing.partner,
    contradicted: routing.contradicted,
  };
}

/** From now on the metrics show the state of this network, which is the one of its name that is served. */
export function showState({ chain, upstreams, metrics }: Network): void {
  metrics.routing.watch({
    head: () => chain.head?.number ?? -1,
    upstreams: upstreams.map((one) => ({
      name: one.name,
      head: () => one.head,
      isReady: () => one.state === "ready",
    })),
  });
}

/** The store may be locked for longer than the call has time: no answer means no. */
function withinTime(
  timers: Timers,
  timeoutMs: number,
  {
    ask,
    done,
  }: {
    readonly ask: (told: (allowed: boolean) => void) => void;
    readonly done: (allowed: boolean) => void;
  },
): void {
  let isOver = false;
  const end = (allowed: boolean) => {
    if (isOver) return;
    isOver = true;
    timers.clear(timer);
    done(allowed);
  };
  const timer = timers.set(timeoutMs, () => end(false));
  ask(end);
}

import type { EvmNetworkConfig } from "../config/network-schema.ts";
import type { Clock } from "../lib/clock.ts";
import type { Timers } from "../lib/timer-wheel.ts";
import type { PartnerStore } from "../storage/store.ts";
import type { Logger } from "../telemetry/log.ts";
import type { NetworkMetrics } from "../telemetry/metrics.ts";
import { PartnerCaps } from "../upstreams/partner-caps.ts";
import { Router } from "../upstreams/router.ts";
import type { RoutingObserver } from "../upstreams/routing.ts";
import type { AskCaps, Upstream, UpstreamEvents } from "../upstreams/upstream.ts";
import { buildUpstream, type Connect } from "./build-upstream.ts";
import { ChainWatch } from "./chain-watch.ts";
import { Network } from "./network.ts";

export type BuildParts = {
  readonly clock: Clock;
  readonly timers: Timers;
  /** 0 to 1, evenly. */
  readonly random: () => number;
  readonly connect: Connect;
  readonly log: Logger;
  readonly metrics: NetworkMetrics;
  readonly partners: PartnerStore;
};

/** One network with its upstreams, joined. Nothing is asked before `start`. */
export function buildNetwork(config: EvmNetworkConfig, parts: BuildParts): Network {
  const { clock, timers, random, metrics } = parts;
  const log = parts.log.child({ network: config.name });
  const caps = new PartnerCaps(
    { network: config.name, caps: config.partnerCaps ?? {} },
    {
      store: parts.partners,
      clock,
      onStoreFailure: (cause) =>
        log.error({ cause: String(cause) }, "calls of partners cannot be counted: none are made"),
    },
  );
  const askCaps: AskCaps = (timeoutMs, done) =>
    withinTime(timers, timeoutMs, { ask: (told) => caps.take(told), done });
  const events: UpstreamEvents = {
    advanced: () => router.wake(),
    changed: (upstream) => {
      const { name, state, breaker } = upstream;
      if (breaker.state === "open") metrics.routing.breakerOpened(name);
      log.info({ upstream: name, state }, "an upstream's health changed");
      chain.refresh();
    },
    broke: (upstream) => chain.recheck(upstream),
    asked: () => chain.reconsider(),
  };
  const upstreams = config.upstreams.map((upstream, index) =>
    buildUpstream(
      { ...upstream, index, maxResponseBytes: config.maxResponseBytes },
      { ...parts, log, askCaps, events },
    ),
  );
  const { confirmations, chainId, hedgeShare } = config;
  const chain = new ChainWatch({ confirmations, chainId }, { clock, timers, upstreams, log });
  const router = new Router(
    { hedgeShare },
    {
      ...{ upstreams, clock, timers, random, askCaps },
      observer: observerOf(metrics),
      verify: (upstream, timeoutMs, done) => chain.verify(upstream, timeoutMs, done),
      seen: (upstream, block) => chain.seen(upstream, block),
    },
  );
  observe({ chain, upstreams, metrics });
  return new Network(config, { upstreams, router, chain, metrics, clock });
}

function observerOf({ routing }: NetworkMetrics): RoutingObserver {
  return {
    hedged: routing.hedged,
    retried: () => routing.retries.inc(),
    partner: routing.partner,
    contradicted: routing.contradicted,
  };
}

function observe({
  chain,
  upstreams,
  metrics: { routing },
}: {
  readonly chain: ChainWatch;
  readonly upstreams: readonly Upstream[];
  readonly metrics: NetworkMetrics;
}): void {
  chain.subscribe(({ kind }) => {
    if (kind === "reorg") routing.reorganisations.inc();
  });
  routing.head(() => chain.head?.number ?? -1);
  for (const upstream of upstreams) {
    routing.upstreamHead(upstream.name, () => upstream.head);
    routing.upstreamReady(upstream.name, () => (upstream.state === "ready" ? 1 : 0));
  }
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

import { BlockFilesUpstream } from "../block-files/block-files-upstream.ts";
import { ConfigError } from "../config/faults.ts";
import type { NetworkConfig } from "../config/network-schema.ts";
import type { Clock } from "../lib/clock.ts";
import type { MemoryBudget } from "../lib/memory-budget.ts";
import type { Timers, TimerWheel } from "../lib/timer-wheel.ts";
import type { PartnerStore } from "../storage/store.ts";
import { failureLine, type Logger } from "../telemetry/log.ts";
import type { NetworkMetrics } from "../telemetry/metrics.ts";
import { HttpUpstream, type HttpUpstreamParts } from "../transports/http-upstream.ts";
import type { Transport } from "../transports/transport.ts";
import { WsStream } from "../transports/ws-stream.ts";
import { WsUpstream } from "../transports/ws-upstream.ts";
import { costed, NodeCosts } from "../upstreams/node-costs.ts";
import {
  type AskCaps,
  type AttemptObserver,
  type HeadSource,
  Upstream,
  type UpstreamEvents,
} from "../upstreams/upstream.ts";
import { TlsFilesError, type Way } from "../wire/client/way.ts";
import type { EventLoop } from "../wire/event-loop.ts";

export type UpstreamConfig = NetworkConfig["upstreams"][number] & {
  /** Where an EVM node sends new heads, and a slot network's what changes in accounts. */
  readonly ws?: string | undefined;
  /** Of its network. */
  readonly family?: NetworkConfig["family"];
  /** Whether it is asked there for transactions that wait to be mined. */
  readonly pendingTransactions?: boolean;
  readonly index: number;
  readonly maxResponseBytes: number;
};

/** The ways to a node: for calls, and for its new blocks where it tells of them by itself. */
export type Connection = {
  readonly transport: Transport;
  readonly heads: HeadSource | undefined;
  readonly stream?: WsStream | undefined;
};

/** Opens nothing yet. `onBroken` is told when the node ends a connection. */
export type Connect = (
  config: UpstreamConfig,
  parts: { readonly log: Logger; readonly onBroken: () => void },
) => Connection;

export type ConnectParts = {
  readonly clock: Clock;
  readonly loop: EventLoop;
  readonly timers: TimerWheel;
  /** 0 to 1, evenly. */
  readonly random: () => number;
  /** Bounds what clients make the gateway hold. */
  readonly memory?: MemoryBudget;
};

const FILE = "file:";

/** Over HTTP, or from a ledger of files; new blocks over WebSocket where `ws` is set. */
export function connector(parts: ConnectParts): Connect {
  return (config, { log, onBroken }) => {
    const { ws: url, family } = config;
    const transport = transportTo(config, { ...parts, onBroken });
    if (url === undefined) return { transport, heads: undefined };
    if (family === "slot") {
      return { transport, heads: undefined, stream: new WsStream({ ...config, url }, parts) };
    }
    return { transport, heads: headSource({ ...config, url }, { ...parts, log }) };
  };
}

/**
 * The way to a node, or to a ledger of files, for calls. Opens nothing yet.
 * @throws ConfigError where the files of its `tls` cannot be used
 */
export function transportTo(
  config: Omit<UpstreamConfig, "index">,
  parts: HttpUpstreamParts,
): Transport {
  const { name, url } = config;
  if (url.startsWith(FILE)) {
    return new BlockFilesUpstream({ ...config, directory: url.slice(FILE.length) }, parts);
  }
  try {
    return new HttpUpstream(config, parts);
  } catch (error) {
    if (!(error instanceof TlsFilesError)) throw error;
    const fault = { path: `upstream ${name}`, line: 0, message: error.message };
    throw new ConfigError([fault], { cause: error });
  }
}

export type UpstreamBuildParts = {
  readonly clock: Clock;
  readonly connect: Connect;
  readonly log: Logger;
  readonly metrics: NetworkMetrics;
  readonly events: UpstreamEvents;
  readonly askCaps: AskCaps;
  readonly timers: Timers;
  /** The name of its network. */
  readonly network: string;
  /** Where it is kept how the attempts at a node of this name went. */
  readonly noteOf?: ((upstream: string) => AttemptObserver) | undefined;
  /** Counts what its calls cost. */
  readonly partners: Pick<PartnerStore, "take" | "read">;
};

/** One upstream of a network. Nothing is asked of it yet. */
export function buildUpstream(config: UpstreamConfig, parts: UpstreamBuildParts): Upstream {
  const { clock, connect, metrics, log, events, askCaps } = parts;
  const calls = metrics.upstreamCalls(config.name);
  const note = parts.noteOf?.(config.name);
  const connection = connect(config, { log, onBroken: () => upstream.broke() });
  const costs = costsOf(config, parts, () => events.changed(upstream));
  const { transport } = connection;
  const upstream: Upstream = new Upstream(config, {
    ...connection,
    ...(costs && { transport: costed(transport, costs), costs }),
    clock,
    observe: (outcome, seconds) => {
      calls.record(outcome, seconds);
      note?.(outcome, seconds);
    },
    events,
    askCaps,
  });
  return upstream;
}

function costsOf(
  { name, cost }: UpstreamConfig,
  { network, partners, clock, timers, metrics, log }: UpstreamBuildParts,
  changed: () => void,
): NodeCosts | undefined {
  if (cost === undefined) return undefined;
  const units = metrics.routing.units(name);
  return new NodeCosts(
    { ...cost, key: `cost:${network}/${name}` },
    {
      ...{ store: partners, clock, timers, changed },
      count: (spent) => units.inc(spent),
      onStoreFailure: failureLine(log, "what nodes cost cannot be counted; it is counted later"),
    },
  );
}

function headSource(
  options: Way & {
    readonly name: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly maxResponseBytes: number;
    readonly pendingTransactions?: boolean;
  },
  { clock, timers, random, log }: ConnectParts & { readonly log: Logger },
): HeadSource {
  let socket: WsUpstream | undefined;
  let told: ((hash: string) => void) | undefined;
  const pending = (hash: string): void => told?.(hash);
  return {
    ...(options.pendingTransactions && {
      onPending: (listener: (hash: string) => void) => {
        told = listener;
      },
    }),
    start: (onHead, onState) => {
      const state = (told: "flowing" | "down", reason: string) => {
        log.info({ upstream: options.name, state: told, reason }, "an upstream's newHeads");
        onState(told === "flowing");
      };
      socket = new WsUpstream(options, {
        ...{ clock, timers, random },
        observer: {
          ...{ head: onHead, state },
          pending: options.pendingTransactions ? pending : undefined,
        },
      });
      socket.open();
    },
    stop: () => {
      void socket?.close();
    },
  };
}

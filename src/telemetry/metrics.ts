import { Registry } from "prom-client";
import { ownVersion } from "../lib/own-files.ts";
import {
  type CacheMetrics,
  type CacheState,
  cacheFamilies,
  type DiskCacheState,
} from "./cache-metrics.ts";
import {
  CounterFamily,
  GaugeFamily,
  HistogramFamily,
  type PlainCounter,
  type PlainHistogram,
} from "./plain-metrics.ts";
import { collectProcessMetrics } from "./process-metrics.ts";
import { type RoutingMetrics, routingFamilies } from "./routing-metrics.ts";
import { type StorageState, storageFamilies } from "./storage-metrics.ts";

/** From a call that is answered locally to the longest deadline in use, seconds. */
const LATENCY_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** How many ended in which way, and how long they took. */
export class OutcomeMetrics {
  readonly #outcomes = new Map<string, PlainCounter>();
  readonly #counter: (outcome: string) => PlainCounter;
  readonly #duration: PlainHistogram;

  constructor(counter: (outcome: string) => PlainCounter, duration: PlainHistogram) {
    this.#counter = counter;
    this.#duration = duration;
  }

  record(outcome: string, seconds: number): void {
    memo(this.#outcomes, outcome, this.#counter).inc();
    this.#duration.observe(seconds);
  }
}

/** The metrics of one network's calls. */
export type NetworkMetrics = {
  /** `method` must come from a definition, or be `other`. Outcomes: `ok`, or an error's name. */
  readonly calls: (method: string) => OutcomeMetrics;
  /** Hold on to it. Outcomes: `ok`, a class of failure, or what broke the connection. */
  readonly upstreamCalls: (upstream: string) => OutcomeMetrics;
  readonly credits: PlainCounter;
  readonly cache: CacheMetrics;
  readonly routing: RoutingMetrics;
};

export type TrafficMetrics = Readonly<Record<"received" | "sent" | "connections", PlainCounter>>;

/** Everything that /metrics shows. Labels are names from the configuration and our own tables. */
export class Metrics {
  readonly registry = new Registry();
  readonly #calls = this.#counter("tollgate_calls_total", {
    help: "Calls by network, method (unknown ones as other) and outcome",
    labels: ["network", "method", "outcome"],
  });
  readonly #callDuration = this.#histogram("tollgate_call_duration_seconds", {
    help: "From the parsed call to its answer",
    labels: ["network", "method"],
  });
  readonly #upstreamCalls = this.#counter("tollgate_upstream_calls_total", {
    help: "Attempts at upstreams by outcome: ok, a class of failure, timeout or unreachable",
    labels: ["network", "upstream", "outcome"],
  });
  readonly #upstreamDuration = this.#histogram("tollgate_upstream_call_duration_seconds", {
    help: "From sending a request to an upstream to the end of its answer",
    labels: ["network", "upstream"],
  });
  readonly #credits = this.#counter("tollgate_credits_total", {
    help: "Credits of the calls that were served",
    labels: ["network"],
  });
  /** Calls whose usage could not be written. The ledger has them all the same. */
  readonly usageLost = this.#counter("tollgate_usage_lost_calls_total", {
    help: "Calls missing in the usage because the store failed for too long",
    labels: [],
  }).of();
  readonly #refusals = this.#counter("tollgate_refusals_total", {
    help: "Requests refused as a whole, by name in the error table",
    labels: ["reason"],
  });
  readonly #received = this.#counter("tollgate_received_bytes_total", {
    help: "Bytes of request bodies and WebSocket messages",
    labels: ["transport"],
  });
  readonly #sent = this.#counter("tollgate_sent_bytes_total", {
    help: "Bytes of answer bodies and WebSocket messages",
    labels: ["transport"],
  });
  readonly #make = {
    counter: (name: string, rest: Description) => this.#counter(name, rest),
    gauge: (name: string, rest: Description, type?: "counter") =>
      this.#register(new GaugeFamily({ name, ...rest }, type)),
  };
  readonly #routing = routingFamilies(this.#make);
  readonly #cache = cacheFamilies(this.#make);
  readonly #storage = storageFamilies(this.#make.gauge);
  readonly #spans = this.#make.gauge(
    "tollgate_spans_total",
    {
      help: "Spans that a collector took, and those that it could not be sent",
      labels: ["outcome"],
    },
    "counter",
  );
  readonly #connections = this.#gauge("tollgate_connections", {
    help: "Open client connections",
    labels: ["transport"],
  });

  constructor() {
    collectProcessMetrics(this.registry);
    const build = this.#make.gauge("tollgate_build_info", {
      help: "Always 1: which version runs on which Node",
      labels: ["version", "node"],
    });
    build.of(ownVersion(), process.version).read = () => 1;
  }

  /** Calls of all networks so far. */
  get callCount(): number {
    return this.#calls.total;
  }

  network(network: string): NetworkMetrics {
    const calls = new Map<string, OutcomeMetrics>();
    const ofMethod = (method: string) =>
      new OutcomeMetrics(
        (outcome) => this.#calls.of(network, method, outcome),
        this.#callDuration.of(network, method),
      );
    const ofUpstream = (upstream: string) =>
      new OutcomeMetrics(
        (outcome) => this.#upstreamCalls.of(network, upstream, outcome),
        this.#upstreamDuration.of(network, upstream),
      );
    return {
      calls: (method) => memo(calls, method, ofMethod),
      upstreamCalls: ofUpstream,
      credits: this.#credits.of(network),
      cache: this.#cache.network(network),
      routing: this.#routing(network),
    };
  }

  /** The cache of all networks, which is looked at with each scrape. */
  watchCache(cache: CacheState): void {
    this.#cache.watch(cache);
  }

  /** Its tier on disk, likewise. */
  watchDiskCache(disk: DiskCacheState): void {
    this.#cache.watchDisk(disk);
  }

  /** The memory that clients make the gateway hold, likewise. */
  watchMemory(memory: { readonly bytes: number; readonly refused: number }): void {
    const bytes = this.#make.gauge("tollgate_client_memory_bytes", {
      help: "What clients make the gateway hold of server.memoryBytes: bodies, messages, unread answers",
      labels: [],
    });
    const description = {
      help: "Connections and calls that were refused because server.memoryBytes was used up",
      labels: [],
    };
    const refused = this.#make.gauge(
      "tollgate_client_memory_refusals_total",
      description,
      "counter",
    );
    bytes.of().read = () => memory.bytes;
    refused.of().read = () => memory.refused;
  }

  /** The storage, likewise. */
  watchStorage(state: StorageState): void {
    this.#storage(state);
  }

  /** What became of spans, likewise. */
  watchSpans(spans: { readonly sent: number; readonly dropped: number }): void {
    this.#spans.of("sent").read = () => spans.sent;
    this.#spans.of("dropped").read = () => spans.dropped;
  }

  /** A request refused as a whole; `reason` is a name of the error table. */
  refused(reason: string): void {
    this.#refusals.of(reason).inc();
  }

  /** The metrics of one transport. */
  traffic(transport: "http" | "websocket"): TrafficMetrics {
    return {
      received: this.#received.of(transport),
      sent: this.#sent.of(transport),
      connections: this.#connections.of(transport),
    };
  }

  #counter(name: string, rest: Description): CounterFamily {
    return this.#register(new CounterFamily({ name, ...rest }));
  }

  #gauge(name: string, rest: Description): CounterFamily {
    return this.#register(new CounterFamily({ name, ...rest }, "gauge"));
  }

  #histogram(name: string, rest: Description): HistogramFamily {
    return this.#register(new HistogramFamily({ name, ...rest }, LATENCY_BUCKETS));
  }

  #register<F extends CounterFamily | GaugeFamily | HistogramFamily>(family: F): F {
    this.registry.registerMetric(family.asMetric());
    return family;
  }
}

type Description = { readonly help: string; readonly labels: readonly string[] };

function memo<Value>(map: Map<string, Value>, key: string, make: (key: string) => Value): Value {
  let found = map.get(key);
  if (found === undefined) {
    found = make(key);
    map.set(key, found);
  }
  return found;
}

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** From a cache hit to the longest deadline in use. */
const LATENCY_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

type Bound = { inc: (value?: number) => void };

/** How calls of one method on one network ended; label look-ups are paid once, not per call. */
export class CallMetrics {
  readonly #outcomes = new Map<string, Bound>();
  readonly #bind: (outcome: string) => Bound;
  readonly #duration: { observe: (seconds: number) => void };

  constructor(bind: (outcome: string) => Bound, duration: { observe: (seconds: number) => void }) {
    this.#bind = bind;
    this.#duration = duration;
  }

  /** `outcome`: `ok` or a name of the error table. */
  record(outcome: string, seconds: number): void {
    let counter = this.#outcomes.get(outcome);
    if (counter === undefined) {
      counter = this.#bind(outcome);
      this.#outcomes.set(outcome, counter);
    }
    counter.inc();
    this.#duration.observe(seconds);
  }
}

/** Everything that /metrics shows. Labels are names from the configuration and our own tables. */
export class Metrics {
  readonly registry = new Registry();
  readonly #calls = new Counter({
    name: "tollgate_calls_total",
    help: "Calls by network, method (unknown ones as other) and outcome",
    labelNames: ["network", "method", "outcome"],
    registers: [this.registry],
  });
  readonly #callDuration = new Histogram({
    name: "tollgate_call_duration_seconds",
    help: "From the parsed call to its answer",
    labelNames: ["network", "method"],
    buckets: LATENCY_BUCKETS,
    registers: [this.registry],
  });
  readonly #upstreamCalls = new Counter({
    name: "tollgate_upstream_calls_total",
    help: "Attempts at upstreams by outcome: ok, a class of failure, timeout or unreachable",
    labelNames: ["network", "upstream", "outcome"],
    registers: [this.registry],
  });
  readonly #upstreamDuration = new Histogram({
    name: "tollgate_upstream_call_duration_seconds",
    help: "From sending a request to an upstream to the end of its answer",
    labelNames: ["network", "upstream"],
    buckets: LATENCY_BUCKETS,
    registers: [this.registry],
  });
  readonly #credits = new Counter({
    name: "tollgate_credits_total",
    help: "Credits of the calls that were served",
    labelNames: ["network"],
    registers: [this.registry],
  });
  readonly #refusals = new Counter({
    name: "tollgate_refusals_total",
    help: "Requests refused as a whole, by name in the error table",
    labelNames: ["reason"],
    registers: [this.registry],
  });
  readonly #received = new Counter({
    name: "tollgate_received_bytes_total",
    help: "Bytes of request bodies and WebSocket messages",
    labelNames: ["transport"],
    registers: [this.registry],
  });
  readonly #sent = new Counter({
    name: "tollgate_sent_bytes_total",
    help: "Bytes of answer bodies and WebSocket messages",
    labelNames: ["transport"],
    registers: [this.registry],
  });
  readonly #connections = new Gauge({
    name: "tollgate_connections",
    help: "Open client connections",
    labelNames: ["transport"],
    registers: [this.registry],
  });
  readonly #callMetrics = new Map<string, CallMetrics>();
  readonly #upstreams = new Map<string, CallMetrics>();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Of one method on one network; `method` must come from a definition, or be `other`. */
  calls(network: string, method: string): CallMetrics {
    return memo(this.#callMetrics, `${network} ${method}`, () => {
      const duration = this.#callDuration.labels(network, method);
      return new CallMetrics((outcome) => this.#calls.labels(network, method, outcome), duration);
    });
  }

  upstreamCalls(network: string, upstream: string): CallMetrics {
    return memo(this.#upstreams, `${network} ${upstream}`, () => {
      const duration = this.#upstreamDuration.labels(network, upstream);
      return new CallMetrics(
        (outcome) => this.#upstreamCalls.labels(network, upstream, outcome),
        duration,
      );
    });
  }

  charged(network: string, credits: number): void {
    if (credits > 0) this.#credits.labels(network).inc(credits);
  }

  refused(reason: string): void {
    this.#refusals.labels(reason).inc();
  }

  /** What one transport moves. */
  traffic(transport: "http" | "websocket"): TrafficMetrics {
    return {
      received: this.#received.labels(transport),
      sent: this.#sent.labels(transport),
      connections: this.#connections.labels(transport),
    };
  }
}

export type TrafficMetrics = {
  readonly received: Bound;
  readonly sent: Bound;
  readonly connections: Bound & { dec: () => void };
};

function memo(map: Map<string, CallMetrics>, key: string, make: () => CallMetrics): CallMetrics {
  let found = map.get(key);
  if (found === undefined) {
    found = make();
    map.set(key, found);
  }
  return found;
}

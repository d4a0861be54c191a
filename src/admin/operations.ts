import type { Network } from "../networks/network.ts";
import { type NetworkOverview, overviewOf } from "../networks/overview.ts";
import type { Metrics } from "../telemetry/metrics.ts";

/** One metric with all its series, as prom-client's registries give them. */
export type MetricFamily = {
  readonly name: string;
  readonly help: string;
  /** `counter`, `gauge`, `histogram` or `summary`. */
  readonly type: string;
  readonly values: readonly MetricSample[];
};

/** `metricName`: of the parts of a histogram, `…_bucket`, `…_sum` and `…_count`. */
export type MetricSample = {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
};

/** The upstream is drained, or no longer. `missing`: the name of the two that nobody has. */
export type DrainResult = "done" | { readonly missing: "network" | "upstream" };

export type Readiness = { readonly ready: boolean; readonly obstacles: readonly string[] };

/** An operator's view of a gateway, and control of it, be it one process or several. */
export type Operations = {
  /** Prometheus text. */
  readonly metrics: () => Promise<string>;
  /** Undefined where no process can say. */
  readonly networks: () => Promise<readonly NetworkOverview[] | undefined>;
  /** Until the gateway ends: what is to last belongs into the configuration. */
  readonly setDrained: (place: UpstreamName, drained: boolean) => Promise<DrainResult>;
  readonly readiness: () => Promise<Readiness>;
  /** False where only a restart of the process helps. */
  readonly isHealthy: () => boolean;
};

export type UpstreamName = { readonly network: string; readonly upstream: string };

type Parts = {
  readonly metrics: Metrics;
  readonly networks: readonly Network[];
  /** The reasons why the gateway cannot serve, in words; empty when it can. */
  readonly obstacles: () => Promise<readonly string[]>;
  readonly isHealthy: () => boolean;
};

/** Those of the process that it runs in. */
export class OwnOperations implements Operations {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  metrics(): Promise<string> {
    return this.#parts.metrics.registry.metrics();
  }

  /** The metrics that `metrics` shows, for somebody who adds them up. */
  async metricFamilies(): Promise<readonly MetricFamily[]> {
    return (await this.#parts.metrics.registry.getMetricsAsJSON()) as unknown as MetricFamily[];
  }

  /**
   * The counters alone, of calls and not of the process: cheap enough for every second, where all
   * metrics of eight busy networks hold up calls for 4 ms.
   */
  counters(): readonly MetricFamily[] {
    const all: unknown[] = this.#parts.metrics.registry.getMetricsAsArray();
    return (all as readonly (MetricFamily & { get(): MetricFamily })[])
      .filter(({ name, type }) => name.startsWith("tollgate_") && type === "counter")
      .map((family) => family.get());
  }

  async networks(): Promise<readonly NetworkOverview[]> {
    return Promise.all(this.#parts.networks.map(overviewOf));
  }

  async setDrained({ network: name, upstream }: UpstreamName, drained: boolean) {
    const network = this.#parts.networks.find((each) => each.name === name);
    if (network === undefined) return { missing: "network" } as const;
    return network.setDrained(upstream, drained) ? "done" : ({ missing: "upstream" } as const);
  }

  async readiness(): Promise<Readiness> {
    const obstacles = await this.#parts.obstacles();
    return { ready: obstacles.length === 0, obstacles };
  }

  isHealthy(): boolean {
    return this.#parts.isHealthy();
  }
}

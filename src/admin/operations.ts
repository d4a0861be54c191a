import type { Fault } from "../config/faults.ts";
import type { DrainResult, FleetMember } from "../fleet/fleet-member.ts";
import type { FleetOverview } from "../fleet/gateways.ts";
import type { Network } from "../networks/network.ts";
import { type NetworkOverview, overviewOf } from "../networks/overview.ts";
import type { UpstreamName } from "../storage/fleet-store.ts";
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

export type Readiness = { readonly ready: boolean; readonly obstacles: readonly string[] };

/** `needsRestart`: settings of the file that take effect with a restart alone. */
export type ReloadResult =
  | { readonly reloaded: true; readonly needsRestart: readonly string[] }
  | { readonly reloaded: false; readonly faults: readonly Fault[] };

/** An operator's view of a gateway, and control of it, be it one process or several. */
export type Operations = {
  /** Prometheus text. */
  readonly metrics: () => Promise<string>;
  /** Undefined where no process can say. */
  readonly networks: () => Promise<readonly NetworkOverview[] | undefined>;
  /** The gateways that share the storage. Undefined where it does not answer. */
  readonly fleet: () => Promise<FleetOverview | undefined>;
  /** For all of them, until it is enabled. */
  readonly setDrained: (place: UpstreamName, drained: boolean) => Promise<DrainResult>;
  /** Reads the file again. Absent where there is none. */
  readonly reload: (() => Promise<ReloadResult>) | undefined;
  readonly readiness: () => Promise<Readiness>;
  /** False where only a restart of the process helps. */
  readonly isHealthy: () => boolean;
};

type Parts = {
  readonly metrics: Metrics;
  readonly networks: readonly Network[];
  readonly fleet: FleetMember;
  /** The reasons why the gateway cannot serve, in words; empty when it can. */
  readonly obstacles: () => Promise<readonly string[]>;
  readonly isHealthy: () => boolean;
  readonly reload: (() => Promise<ReloadResult>) | undefined;
};

/** Those of the process that it runs in. */
export class OwnOperations implements Operations {
  readonly #parts: Parts;
  readonly reload: Operations["reload"];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.reload = parts.reload;
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

  fleet(): Promise<FleetOverview | undefined> {
    return this.#parts.fleet.list().catch(() => undefined);
  }

  setDrained(place: UpstreamName, drained: boolean): Promise<DrainResult> {
    return this.#parts.fleet.setDrained(place, drained);
  }

  async readiness(): Promise<Readiness> {
    const obstacles = await this.#parts.obstacles();
    return { ready: obstacles.length === 0, obstacles };
  }

  isHealthy(): boolean {
    return this.#parts.isHealthy();
  }
}

import { Registry } from "prom-client";
import type { MetricFamily, Operations, Readiness } from "../admin/operations.ts";
import type { DrainResult } from "../fleet/fleet-member.ts";
import type { FleetOverview } from "../fleet/gateways.ts";
import type { NetworkOverview } from "../networks/overview.ts";
import type { UpstreamName } from "../storage/fleet-store.ts";
import { collectProcessMetrics } from "../telemetry/process-metrics.ts";
import { metricsText, ofWorker, sumFamilies } from "./metric-sums.ts";
import { oneOverview, oneReadiness } from "./one-view.ts";
import type { WorkerPool } from "./pool.ts";

/** A worker that hangs holds up no page for longer: scrapes have 10 s, probes often 1 s. */
const ANSWER_MS = 750;
/** In which nodes are asked for their version, for a second at most. */
const NETWORKS_MS = 1500;

/** An operator's view of several workers, and control of them, as if they were one process. */
export class PooledOperations implements Operations {
  readonly #pool: WorkerPool;
  readonly #registry = new Registry();
  readonly reload: Operations["reload"];

  constructor(pool: WorkerPool, reload: Operations["reload"]) {
    this.#pool = pool;
    this.reload = reload;
    collectProcessMetrics(this.#registry);
  }

  /** For a worker that does not answer, its last values are used. */
  async metrics(): Promise<string> {
    const asked = this.#serving().map((worker) => worker.readMetrics(ANSWER_MS));
    const [own] = await Promise.all([this.#registry.getMetricsAsJSON(), ...asked]);
    const primary = ofWorker("primary", own as unknown as MetricFamily[]);
    return metricsText(sumFamilies([...this.#pool.families, ...primary]));
  }

  async networks(): Promise<readonly NetworkOverview[] | undefined> {
    const asked = this.#serving().map((worker) => worker.ask({ kind: "networks" }, NETWORKS_MS));
    const views = await Promise.all(asked);
    return oneOverview(views.filter((view) => view !== undefined));
  }

  async fleet(): Promise<FleetOverview | undefined> {
    const asked = this.#serving().map((worker) => worker.ask({ kind: "fleet" }, ANSWER_MS));
    const views = await Promise.all(asked);
    return views.find((view) => view !== undefined && view !== null) ?? undefined;
  }

  async setDrained(place: UpstreamName, drained: boolean): Promise<DrainResult> {
    const network = this.#pool.config.networks.find(({ name }) => name === place.network);
    if (network === undefined) return { missing: "network" };
    const isKnown = network.upstreams.some(({ name }) => name === place.upstream);
    if (!isKnown) return { missing: "upstream" };
    const question = { kind: "drain", place, drained } as const;
    const results = await Promise.all(this.#serving().map((each) => each.ask(question, ANSWER_MS)));
    return results.includes("done") ? "done" : "here";
  }

  async readiness(): Promise<Readiness> {
    const asked = this.#pool.workers.map(async ([number, worker]) => {
      const readiness = await worker?.ask({ kind: "readiness" }, ANSWER_MS);
      return [number, readiness] as const;
    });
    return oneReadiness(await Promise.all(asked));
  }

  /** A worker that is not ends by itself, and is replaced. */
  isHealthy(): boolean {
    return true;
  }

  #serving() {
    return this.#pool.workers.flatMap(([, worker]) => worker ?? []);
  }
}

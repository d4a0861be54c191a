import type { CounterFamily, GaugeFamily, PlainCounter } from "./plain-metrics.ts";

/** The metrics of one network's routing. Labels are names of the configuration, never addresses. */
export type RoutingMetrics = {
  /** `upstream`: the slow one. */
  readonly hedged: (upstream: string, outcome: "won" | "lost" | "failed") => void;
  readonly retries: PlainCounter;
  readonly partner: (outcome: "asked" | "capped") => void;
  /** Null for what another upstream found. */
  readonly contradicted: (upstream: string) => void;
  readonly breakerOpened: (upstream: string) => void;
  readonly reorganisations: PlainCounter;
  /** What calls of this upstream cost, in units of who bills them. Hold on to it. */
  readonly units: (upstream: string) => PlainCounter;
  /** Looked up at each scrape from now on, in place of what was looked up before. Undefined: nothing is. */
  readonly watch: (state: RoutingState | undefined) => void;
};

export type RoutingState = {
  readonly head: () => number;
  readonly upstreams: readonly {
    readonly name: string;
    readonly head: () => number;
    readonly isReady: () => boolean;
  }[];
};

type Make = {
  readonly counter: (name: string, description: Description) => CounterFamily;
  readonly gauge: (name: string, description: Description) => GaugeFamily;
};
type Description = { readonly help: string; readonly labels: readonly string[] };

/** The families are registered once, for all networks. */
export function routingFamilies({ counter, gauge }: Make): (network: string) => RoutingMetrics {
  const hedges = counter("tollgate_hedges_total", {
    help: "Second requests beside a slow one of this upstream: the hedge won, lost, or failed",
    labels: ["network", "upstream", "outcome"],
  });
  const retries = counter("tollgate_retries_total", {
    help: "Attempts after the first one of a call, hedges not counted",
    labels: ["network"],
  });
  const partners = counter("tollgate_partner_calls_total", {
    help: "Calls for which partners were needed: asked, or capped by partnerCaps",
    labels: ["network", "outcome"],
  });
  const contradictions = counter("tollgate_upstream_contradictions_total", {
    help: "Nulls of an upstream for what another one found, in blocks that both have",
    labels: ["network", "upstream"],
  });
  const breakers = counter("tollgate_upstream_breaker_opened_total", {
    help: "How often an upstream was taken out because its calls failed or stalled",
    labels: ["network", "upstream"],
  });
  const reorganisations = counter("tollgate_reorganisations_total", {
    help: "Reorganisations of the network's own view of its head",
    labels: ["network"],
  });
  const units = counter("tollgate_upstream_units_total", {
    help: "What the calls of upstreams with cost came to, in the units of who bills them",
    labels: ["network", "upstream"],
  });
  const head = gauge("tollgate_network_head", {
    help: "The number of the network's head; -1 while it is not known",
    labels: ["network"],
  });
  const upstreamHead = gauge("tollgate_upstream_head", {
    help: "The highest block that the upstream is known to have; -1 while none is",
    labels: ["network", "upstream"],
  });
  const ready = gauge("tollgate_upstream_ready", {
    help: "1 where the upstream is asked like any other",
    labels: ["network", "upstream"],
  });
  return (network) => ({
    hedged: (upstream, outcome) => hedges.of(network, upstream, outcome).inc(),
    retries: retries.of(network),
    partner: (outcome) => partners.of(network, outcome).inc(),
    contradicted: (upstream) => contradictions.of(network, upstream).inc(),
    breakerOpened: (upstream) => breakers.of(network, upstream).inc(),
    reorganisations: reorganisations.of(network),
    units: (upstream) => units.of(network, upstream),
    watch: (state) => {
      for (const family of [head, upstreamHead, ready]) family.forget(network);
      if (state === undefined) return;
      head.of(network).read = state.head;
      for (const one of state.upstreams) {
        upstreamHead.of(network, one.name).read = one.head;
        ready.of(network, one.name).read = () => (one.isReady() ? 1 : 0);
      }
    },
  });
}

import type { ApiParts } from "../api/parts.ts";
import { type BoundRoute, bind } from "../api/route.ts";
import { readNodeHistory } from "../contract/operator-networks.ts";
import { latencyOver } from "../usage/usage-latency.ts";
import { stepsOf, timesOf } from "../usage/usage-series.ts";
import { nodeSpanOf } from "../usage/usage-span.ts";

export function nodeHistoryRoutes({ storage, clock }: ApiParts): BoundRoute[] {
  return [
    bind(readNodeHistory, async ({ params, query }) => {
      const span = nodeSpanOf(query.range, clock.now());
      const points = await storage.nodes.history({ ...params, ...span });
      const byTime = new Map(points.map((point) => [point.at, point]));
      const steps = timesOf(span).map((at) => byTime.get(at));
      return {
        ...stepsOf(span),
        calls: steps.map((step) => step?.calls ?? 0),
        failed: steps.map((step) => step?.failed ?? 0),
        lag: steps.map((step) => step?.lag ?? null),
        ...latencyOver(points, span),
      };
    }),
  ];
}

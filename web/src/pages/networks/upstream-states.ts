import type { UpstreamView } from "../../../../src/console/contract/operator-networks.ts";
import type { Tone } from "../../ui/notice.tsx";

type State = { readonly tone: Tone; readonly meaning: string };

const STATES: Readonly<Record<string, State>> = {
  ready: { tone: "ok", meaning: "serving calls" },
  drained: { tone: "info", meaning: "gets no new calls until it is enabled" },
  limited: { tone: "warn", meaning: "at its own rate limit for a moment" },
  "not reached yet": { tone: "warn", meaning: "has not answered since the start" },
  "breaker open": { tone: "danger", meaning: "failed too often; will be retried soon" },
  "wrong chain": { tone: "danger", meaning: "on a different chain than its network; not used" },
  "on another fork": { tone: "danger", meaning: "its head is not the network's; not used" },
};

/** How an upstream's state is shown, with what it means where it is not the usual one. */
export function describeState(state: string): State {
  return STATES[state] ?? { tone: "warn", meaning: "" };
}

/** How many blocks' states a node keeps, in words. */
export function describeArchive(depth: UpstreamView["archiveDepth"]): string {
  if (depth === null) return "–";
  return depth === "all" ? "all" : `${depth.toLocaleString("en-GB")} blocks`;
}

/** Whether nobody else of the network could answer in this one's place. */
export function isLastReady(upstreams: readonly UpstreamView[], name: string): boolean {
  return !upstreams.some((one) => one.name !== name && one.state === "ready");
}

/** A number a second: `132`, `0.2`, `<0.1`. */
export function formatRate(rate: number): string {
  if (rate > 0 && rate < 0.1) return "<0.1";
  return rate >= 100 || rate === 0 ? rate.toFixed(0) : rate.toFixed(1);
}

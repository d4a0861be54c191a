import type { FleetProcess } from "../storage/fleet-store.ts";
import { differences } from "./marks.ts";

/** One gateway as operators see it. */
export type GatewayOverview = {
  readonly name: string;
  readonly version: string;
  /** Of its oldest process, ISO 8601. */
  readonly startedAt: string;
  readonly callsPerSecond: number;
  readonly leases: number;
  readonly networks: readonly { readonly name: string; readonly head: number | null }[];
};

/** JSON of `GET /fleet`. */
export type FleetOverview = {
  readonly gateways: readonly GatewayOverview[];
  /** The settings that should be alike in all files, and are not. */
  readonly differ: readonly string[];
};

export function fleetOf(processes: readonly FleetProcess[]): FleetOverview {
  const differ = differences(processes.map(({ marks }) => marks));
  return { gateways: gatewaysOf(processes), differ };
}

/** What the processes of each gateway come to together, in the order of their names. */
function gatewaysOf(processes: readonly FleetProcess[]): readonly GatewayOverview[] {
  const byName = Map.groupBy(processes, ({ name }) => name);
  return Array.from(byName, ([name, own]) => ({
    name,
    version: own[0]?.version ?? "",
    startedAt: new Date(Math.min(...own.map(({ startedAt }) => startedAt))).toISOString(),
    callsPerSecond: rounded(sum(own.map(({ callsPerSecond }) => callsPerSecond))),
    leases: sum(own.map(({ leases }) => leases)),
    networks: headsOf(own),
  }));
}

/** The newest head that a process knows. */
function headsOf(processes: readonly FleetProcess[]): GatewayOverview["networks"] {
  const heads = new Map<string, number | null>();
  for (const own of processes) {
    for (const [name, head] of Object.entries(own.heads)) {
      const known = heads.get(name) ?? null;
      heads.set(name, known === null ? head : Math.max(known, head ?? known));
    }
  }
  return Array.from(heads, ([name, head]) => ({ name, head }));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const rounded = (number: number): number => Math.round(number * 10) / 10;

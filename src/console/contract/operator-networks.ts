import { z } from "zod";
import { nothing, whole } from "./common.ts";
import { NODE_RANGES } from "./constants.ts";
import { defineRoute } from "./route.ts";
import { latencyOverTime, steps } from "./usage.ts";

/** A second, over the time between two looks. */
const rate = z.number().min(0);

export const upstreamOverview = z.object({
  name: z.string(),
  role: z.enum(["primary", "partner"]),
  /** `ready`, or why it is not asked like any other. */
  state: z.string(),
  clientVersion: z.string().nullable(),
  head: z.int().nullable(),
  /** Blocks behind the network's head. */
  lag: z.int().nullable(),
  forked: z.boolean(),
  inFlight: z.int(),
  latencyMs: z.number().nullable(),
  lacks: z.array(z.string()),
  archiveDepth: z.union([z.int(), z.literal("all")]).nullable(),
  /** Why it failed last, and how many such errors were seen since another one; null: it has not. */
  lastError: z
    .object({
      class: z.string(),
      message: z.string(),
      at: z.iso.datetime(),
      count: z.int(),
    })
    .nullable(),
  /** Where its calls are billed: the units of this UTC month (null: not known now), and the most of it. */
  cost: z.object({ month: z.number().nullable(), monthly: z.number().nullable() }).optional(),
  /** Attempts and failures a second; null until the second look. */
  traffic: z.object({ calls: rate, failures: rate }).nullable(),
});
export type UpstreamView = z.output<typeof upstreamOverview>;

export const networkOverview = z.object({
  name: z.string(),
  family: z.enum(["evm", "slot"]),
  chainId: z.int().nullable(),
  /** Slot networks only. */
  genesisHash: z.string().nullable().optional(),
  /** The number of the head's block; of slot networks the confirmed slot. */
  head: z.int().nullable(),
  headHash: z.string().nullable(),
  /** Slot networks only: the slot by commitment; -1: not known. */
  slots: z.record(z.string(), z.int()).optional(),
  /** Calls and failed ones a second; null until the second look. */
  traffic: z.object({ calls: rate, failed: rate }).nullable(),
  upstreams: z.array(upstreamOverview),
});
export type NetworkOverviewView = z.output<typeof networkOverview>;

export const gatewayOverview = z.object({
  name: z.string(),
  version: z.string(),
  startedAt: z.iso.datetime(),
  callsPerSecond: rate,
  /** Accounts, and keys with limits of their own, of whose credits it has a lease. */
  leases: z.int(),
  networks: z.array(z.object({ name: z.string(), head: z.int().nullable() })).readonly(),
});
export type GatewayView = z.output<typeof gatewayOverview>;

export const networksOverview = z.object({
  /** Whether the configuration opens the gateway's admin port: nothing is known of networks without. */
  admin: z.boolean(),
  networks: z.array(networkOverview),
  /** All that share the storage; null where it does not answer. */
  fleet: z
    .object({
      gateways: z.array(gatewayOverview).readonly(),
      /** Settings that should be alike in the files of all, and are not. */
      differ: z.array(z.string()).readonly(),
    })
    .nullable(),
});
export type NetworksOverview = z.output<typeof networksOverview>;

export const drained = z.object({
  network: z.string(),
  upstream: z.string(),
  drained: z.boolean(),
});
export type Drained = z.output<typeof drained>;

export const readOperatorNetworks = defineRoute({
  id: "readOperatorNetworks",
  method: "GET",
  url: "/api/operator/networks",
  access: "operator",
  summary:
    "Each network's head, traffic and upstreams as the gateway sees them now, and all gateways",
  status: 200,
  reply: networksOverview,
});

/** The data of an event `fault`: the gateway could not be asked, and is asked again at the next look. */
const liveFault = z.object({ message: z.string() });

export const streamNetworks = defineRoute({
  id: "streamNetworks",
  method: "GET",
  url: "/api/operator/networks/live",
  access: "operator",
  summary:
    "Server-sent events `networks` each second, or `fault` where the gateway does not answer",
  status: 200,
  reply: z.object({ networks: networksOverview, fault: liveFault }),
  stream: "events",
});

const upstreamParams = z.object({ network: z.string(), upstream: z.string() });
const upstreamUrl = "/api/operator/networks/:network/upstreams/:upstream";

export const nodeHistory = z.object({
  ...steps,
  /** Attempts of all gateways, those for their own sake too, and those that the node did not answer as it should. */
  calls: z.array(whole),
  failed: z.array(whole),
  /** The most blocks that it lay behind the network's head; null: not known. */
  lag: z.array(whole.nullable()),
  ...latencyOverTime,
});
export type NodeHistoryView = z.output<typeof nodeHistory>;

export const readNodeHistory = defineRoute({
  id: "readNodeHistory",
  method: "GET",
  url: `${upstreamUrl}/history`,
  access: "operator",
  summary: "A node's history over an hour, a day or a week: attempts, failures, latency and lag",
  params: upstreamParams,
  query: z.strictObject({ range: z.enum(NODE_RANGES).default("1h") }),
  status: 200,
  reply: nodeHistory,
});

export const drainUpstream = defineRoute({
  id: "drainUpstream",
  method: "POST",
  url: `${upstreamUrl}/drain`,
  access: "operator",
  summary: "Sends no more calls of any gateway to an upstream until it is enabled again",
  params: upstreamParams,
  body: nothing,
  status: 200,
  reply: drained,
  audit: ["upstream.drain"],
});

export const enableUpstream = defineRoute({
  id: "enableUpstream",
  method: "POST",
  url: `${upstreamUrl}/enable`,
  access: "operator",
  summary: "Sends calls to a drained upstream again",
  params: upstreamParams,
  body: nothing,
  status: 200,
  reply: drained,
  audit: ["upstream.enable"],
});

import { redact } from "../telemetry/redact.ts";
import type { UpstreamError } from "../upstreams/last-error.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import type { Network } from "./network.ts";

const ASK_MS = 1000;
/** A node's own version text is cut here. */
const VERSION_CHARS = 200;

/** A network as an operator sees it; JSON of `GET /networks`. */
export type NetworkOverview = {
  readonly name: string;
  readonly family: "evm" | "slot";
  readonly chainId: number | null;
  /** Slot networks only. */
  readonly genesisHash?: string | null;
  /** The number of the head's block; of slot networks the confirmed slot. */
  readonly head: number | null;
  readonly headHash: string | null;
  /** Slot networks only: the slot by commitment; -1: not known. */
  readonly slots?: Readonly<Record<string, number>>;
  readonly upstreams: readonly UpstreamOverview[];
};

export type UpstreamOverview = {
  readonly name: string;
  readonly role: "primary" | "partner";
  /** `ready`, or why it is not asked like any other. */
  readonly state: string;
  readonly clientVersion: string | null;
  readonly head: number | null;
  /** Blocks behind the network's head. */
  readonly lag: number | null;
  readonly forked: boolean;
  readonly inFlight: number;
  /** Expected milliseconds to an answer; null where that was not measured of late. */
  readonly latencyMs: number | null;
  /** Methods that it was found to lack. */
  readonly lacks: readonly string[];
  /** How many blocks' states it keeps: `all` of an archive, null where nothing is known. */
  readonly archiveDepth: number | "all" | null;
  /** Where its calls are billed: the units of this UTC month, of all gateways (null: not known now), and the most of it. */
  readonly cost?: { readonly month: number | null; readonly monthly: number | null };
  /** Why it failed last; null where it has not since the gateway began. */
  readonly lastError: ErrorOverview | null;
};

/** `at`: ISO 8601. */
type ErrorOverview = Omit<UpstreamError, "atMs"> & { readonly at: string };

/** The network as it is now. A client's version is asked for once for each connection to a primary. */
export async function overviewOf(network: Network): Promise<NetworkOverview> {
  const { chain, name, upstreams, versionMethod } = network;
  const family = network.family.name;
  const asked = upstreams.filter(isToBeAsked).map((one) => askVersion(one, versionMethod));
  await Promise.all(asked);
  const head = chain.head?.number;
  return {
    name,
    family,
    chainId: chain.chainId ?? null,
    ...(family === "slot" && { genesisHash: chain.genesisHash ?? null, slots: chain.slots ?? {} }),
    head: head ?? null,
    headHash: chain.head?.hash ?? null,
    upstreams: await Promise.all(upstreams.map((upstream) => upstreamOverview(upstream, head))),
  };
}

async function upstreamOverview(
  upstream: Upstream,
  head: number | undefined,
): Promise<UpstreamOverview> {
  const { costs } = upstream;
  const month = await costs?.month().catch(() => null);
  const { name, role, state, isForked, inFlight, latency, abilities, clientVersion } = upstream;
  const known = upstream.head < 0 ? null : upstream.head;
  const latencyMs = latency.cost(0);
  const { archiveDepth } = abilities;
  return {
    ...{ name, role, state, inFlight },
    clientVersion: clientVersion ?? null,
    head: known,
    lag: known === null || head === undefined ? null : Math.max(head - known, 0),
    forked: isForked,
    latencyMs: latencyMs === 0 ? null : Math.round(latencyMs * 10) / 10,
    lacks: abilities.lacking,
    archiveDepth: archiveDepth === Number.POSITIVE_INFINITY ? "all" : (archiveDepth ?? null),
    ...(costs && { cost: { month: month ?? null, monthly: costs.monthly ?? null } }),
    lastError: errorOverview(upstream.lastError.value),
  };
}

function errorOverview(error: UpstreamError | undefined): ErrorOverview | null {
  if (error === undefined) return null;
  const { atMs, ...rest } = error;
  return { ...rest, at: new Date(atMs).toISOString() };
}

/** A partner is paid for each call. */
function isToBeAsked({ clientVersion, role, state }: Upstream): boolean {
  return clientVersion === undefined && role === "primary" && state === "ready";
}

/** One that gives none is not asked again: a page that is looked at often must not wear it out. */
function askVersion(upstream: Upstream, method: string): Promise<void> {
  upstream.clientVersion = null;
  const request = { method, params: "[]", timeoutMs: ASK_MS };
  return new Promise((resolve) => {
    upstream.ask(request, (json) => {
      if (json !== undefined) upstream.clientVersion = readVersion(json);
      resolve();
    });
  });
}

/** A result's bytes were not parsed when they came. Nodes of slot networks give an object. */
function readVersion(json: string): string | null {
  try {
    const answer: unknown = JSON.parse(json);
    const isObject = typeof answer === "object" && answer !== null && "solana-core" in answer;
    const version = isObject ? answer["solana-core"] : answer;
    return typeof version === "string" ? redact(version.slice(0, VERSION_CHARS)) : null;
  } catch {
    return null;
  }
}

import { DEFAULT_WIRE } from "../../config/default-wire.ts";
import { ConfigError } from "../../config/faults.ts";
import { parseConfig } from "../../config/load.ts";
import type { NetworkConfig } from "../../config/network-schema.ts";
import { systemClock } from "../../lib/clock.ts";
import { TimerWheel } from "../../lib/timer-wheel.ts";
import { transportTo } from "../../networks/build-upstream.ts";
import { EventLoop } from "../../wire/event-loop.ts";
import { CHECKS } from "../check/check.ts";
import { Inquiry } from "../check/check-inquiry.ts";
import type { CheckedUpstream } from "../check/check-upstream.ts";

/** A node that answers. */
export type FoundNode = {
  /** As it was given: it may hold `${NAME}`. */
  readonly address: string;
  readonly family: NetworkConfig["family"];
  /** The chain id, or the genesis hash. */
  readonly chain: number | string;
  /** What it says that it runs; undefined where it does not tell. */
  readonly client: string | undefined;
  /** Where it tells of new blocks by itself. */
  readonly ws: string | undefined;
};

const FILE = "file:";

/**
 * Asks what answers at an address: which chain, which program, and whether it tells of new blocks at the same address
 * over WebSocket. `fault` says why it cannot be used, in words that hold no URL.
 */
export async function findNode(address: string): Promise<FoundNode | { readonly fault: string }> {
  const families = address.startsWith(FILE) ? (["slot"] as const) : (["evm", "slot"] as const);
  let upstream: CheckedUpstream;
  try {
    upstream = upstreamAt(families[0], { url: address });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { fault: error.faults.map(({ message }) => message).join("; ") };
  }
  const timers = new TimerWheel(systemClock);
  const node = transportTo(upstream, { timers, loop: new EventLoop(DEFAULT_WIRE) });
  try {
    const inquiry = new Inquiry(node, systemClock);
    const faults: string[] = [];
    for (const family of families) {
      const check = CHECKS[family];
      const { value: chain, fault } = check.readChain(await inquiry.ask(check.chainMethod));
      if (chain === undefined) faults.push(fault);
      else {
        const client = await check.client(inquiry);
        return { address, family, chain, client, ws: await findStream(address, chain, timers) };
      }
    }
    return { fault: faults[0] ?? "it does not answer" };
  } finally {
    await node.close();
  }
}

/** @throws ConfigError */
function upstreamAt(family: NetworkConfig["family"], addresses: object): CheckedUpstream {
  const networks = [{ name: "node", family, upstreams: [{ name: "node", ...addresses }] }];
  const config = parseConfig(JSON.stringify({ networks }), { baseDir: process.cwd() });
  const [{ upstreams: [upstream] = [], maxResponseBytes = 0 } = {}] = config.networks;
  if (upstream === undefined) throw new Error("the configuration has no upstream");
  return { ...upstream, maxResponseBytes };
}

/** Many EVM nodes take WebSockets at the address of their calls. */
async function findStream(
  address: string,
  chain: number | string,
  timers: TimerWheel,
): Promise<string | undefined> {
  if (typeof chain !== "number") return undefined;
  const ws = address.replace(/^http/, "ws");
  const { ws: url = "", ...upstream } = upstreamAt("evm", { url: address, ws });
  const told = await CHECKS.evm.stream({ ...upstream, url, chain }, timers);
  return told === "ok" ? ws : undefined;
}

import { isDeepStrictEqual } from "node:util";
import { type Path, pathText } from "../config/faults.ts";
import type { NetworkConfig } from "../config/network-schema.ts";
import type { Config } from "../config/schema.ts";

export type Reloaded = {
  /** What the gateway goes on with. */
  readonly config: Config;
  /** Settings of the file that take effect with a restart alone. */
  readonly needsRestart: readonly string[];
};

/** What a gateway that runs by one configuration can take over from another one. */
export function reloaded(running: Config, file: Config): Reloaded {
  const { maxConnections, maxConnectionsPerAddress, websocket } = file.server;
  const limits = { maxConnections, maxConnectionsPerAddress, websocket };
  // One port speaks either TLS or not.
  const tls = running.server.tls && (file.server.tls ?? running.server.tls);
  const config: Config = {
    ...running,
    server: { ...running.server, ...limits, tls },
    log: file.log,
    plans: file.plans,
    networks: file.networks.map((network) => networkOf(network, running)),
  };
  return { config, needsRestart: differences(file, config, []).map(pathText) };
}

/** What is kept of a chain, and what clients have seen of it, are of no other chain. */
function networkOf(network: NetworkConfig, { networks }: Config): NetworkConfig {
  const before = networks.find(({ name }) => name === network.name);
  return before === undefined || isDeepStrictEqual(chainOf(before), chainOf(network))
    ? network
    : before;
}

function chainOf(network: NetworkConfig): readonly unknown[] {
  const { family } = network;
  return [family, family === "evm" ? network.chainId : network.genesisHash];
}

function differences(one: unknown, other: unknown, path: Path): readonly Path[] {
  if (isDeepStrictEqual(one, other)) return [];
  if (!isObject(one) || !isObject(other)) return [path];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  const step = (key: string) => (Array.isArray(one) ? Number(key) : key);
  return [...keys].flatMap((key) => differences(one[key], other[key], [...path, step(key)]));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

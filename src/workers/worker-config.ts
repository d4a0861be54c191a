import type { Config } from "../config/schema.ts";

/**
 * A worker's part of the configuration: bounds that hold for the machine or for a node are divided
 * among the workers, and the admin port is not theirs.
 */
export function workerConfig(config: Config, port: number): Config {
  const { workers } = config.server;
  const { admin: _, ...rest } = config;
  return {
    ...rest,
    server: { ...config.server, port, ...connectionsOf(config.server) },
    cache: { ...config.cache, memoryBytes: Math.floor(config.cache.memoryBytes / workers) },
    keys: { ...config.keys, memoryBytes: Math.ceil(config.keys.memoryBytes / workers) },
    networks: config.networks.map((network) => {
      return { ...network, upstreams: network.upstreams.map((one) => shareOf(one, workers)) };
    }) as Config["networks"],
  };
}

function connectionsOf({
  workers,
  maxConnections,
  maxConnectionsPerAddress,
}: Config["server"]): Pick<Config["server"], "maxConnections" | "maxConnectionsPerAddress"> {
  const part = (whole: number | undefined) => whole && Math.max(1, Math.floor(whole / workers));
  return {
    maxConnections: part(maxConnections),
    maxConnectionsPerAddress: part(maxConnectionsPerAddress),
  };
}

type Bounded = {
  readonly maxConnections: number;
  readonly requestsPerSecond?: number | undefined;
};

function shareOf<Upstream extends Bounded>(upstream: Upstream, workers: number): Upstream {
  const { maxConnections, requestsPerSecond } = upstream;
  return {
    ...upstream,
    maxConnections: Math.max(1, Math.floor(maxConnections / workers)),
    ...(requestsPerSecond !== undefined && { requestsPerSecond: requestsPerSecond / workers }),
  };
}

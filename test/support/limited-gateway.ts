import type { ConnectionLimits } from "../../src/gateway/fronts/server.ts";
import { startTestGateway } from "./gateway.ts";

export type LimitedGateway = {
  readonly port: number;
  readonly adminPort: number;
  /** `/node/v3/KEY` and `/node/ws/v3/KEY`. */
  readonly path: string;
  readonly wsPath: string;
  /** As `path`, with a key of another account. */
  readonly otherPath: string;
  readonly otherWsPath: string;
  readonly log: () => string;
  /** The text of /metrics. */
  readonly metrics: () => Promise<string>;
  readonly stop: () => Promise<void>;
};

export type LimitedOptions = {
  readonly limits?: Partial<ConnectionLimits>;
  /** As in the configuration file. */
  readonly server?: object;
  readonly network?: object;
  /** Plans beside the built-in ones and `test`, which no test uses up. */
  readonly plans?: object;
  /** Of the other account; `test` where absent. */
  readonly otherPlan?: string;
};

/** The gateway before one node, with limits of its connections that a test can wait for. */
export async function startLimitedGateway(
  nodeUrl: string,
  { limits = {}, server = {}, network = {}, plans = {}, otherPlan }: LimitedOptions = {},
): Promise<LimitedGateway> {
  const upstreams = [{ name: "node", url: nodeUrl }];
  const node = { name: "node", family: "evm", chainId: 1, upstreams, ...network };
  const gateway = await startTestGateway({ networks: [node], limits, server, plans });
  const otherKey = await gateway.keyOf("other@example.com", otherPlan);
  return {
    otherPath: `/node/v3/${otherKey}`,
    otherWsPath: `/node/ws/v3/${otherKey}`,
    port: gateway.port,
    adminPort: gateway.adminPort,
    path: `/node/v3/${gateway.key}`,
    wsPath: `/node/ws/v3/${gateway.key}`,
    log: gateway.log,
    metrics: async () => (await gateway.admin("/metrics")).text(),
    stop: gateway.stop,
  };
}

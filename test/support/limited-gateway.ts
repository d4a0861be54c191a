import { randomBytes } from "node:crypto";
import { Writable } from "node:stream";
import { type RunningGateway, startGateway } from "../../src/app.ts";
import { createAccount } from "../../src/commands/accounts.ts";
import { createKey } from "../../src/commands/keys.ts";
import { parseConfig } from "../../src/config/load.ts";
import { CONNECTION_LIMITS, type ConnectionLimits } from "../../src/gateway/server.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openStorage } from "../../src/storage/open.ts";
import { createLog } from "../../src/telemetry/log.ts";

export type LimitedGateway = {
  readonly port: number;
  readonly adminPort: number;
  /** `/node/v3/KEY` and `/node/ws/v3/KEY`. */
  readonly path: string;
  readonly wsPath: string;
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
};

/** The gateway before one node, with limits of its connections that a test can wait for. */
export async function startLimitedGateway(
  nodeUrl: string,
  options: LimitedOptions = {},
): Promise<LimitedGateway> {
  const upstreams = [{ name: "node", url: nodeUrl }];
  const config = parseConfig(
    JSON.stringify({
      server: { port: 0, ...options.server },
      admin: { port: 0 },
      networks: [{ name: "node", family: "evm", chainId: 1, upstreams, ...options.network }],
    }),
    { baseDir: process.cwd(), environment: {} },
  );
  const limits = { ...CONNECTION_LIMITS, ...options.limits };
  const server = { ...config.server, limits };
  const written: string[] = [];
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      written.push(String(chunk));
      done();
    },
  });
  const log = createLog({ level: "debug", terminal: false }, sink);
  const storage = await openStorage("memory:");
  const parts = { storage, plans: config.plans, clock: systemClock, random: randomBytes };
  await createAccount(parts, { email: "test@example.com", plan: "team", operator: false });
  const { json } = await createKey(parts, { account: "test@example.com", name: "test" });
  const { key } = json as { key: string };
  const gateway: RunningGateway = await startGateway(
    { ...config, server },
    { storage, log, clock: systemClock },
  );
  return {
    port: gateway.port,
    adminPort: gateway.adminPort ?? 0,
    path: `/node/v3/${key}`,
    wsPath: `/node/ws/v3/${key}`,
    log: () => written.join(""),
    metrics: async () => (await fetch(`http://127.0.0.1:${gateway.adminPort}/metrics`)).text(),
    stop: async () => {
      await gateway.stop();
      await storage.close();
    },
  };
}

import { randomBytes } from "node:crypto";
import { Writable } from "node:stream";
import { createApiKey } from "../../src/access/api-key.ts";
import { type RunningGateway, startGateway } from "../../src/app.ts";
import { createAccount } from "../../src/commands/accounts/accounts.ts";
import { createKey } from "../../src/commands/accounts/keys.ts";
import { parseConfig } from "../../src/config/load.ts";
import type { Config } from "../../src/config/schema.ts";
import { CONNECTION_LIMITS, type ConnectionLimits } from "../../src/gateway/fronts/server.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { openStorage } from "../../src/storage/open.ts";
import type { Storage } from "../../src/storage/store.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { EventLoop } from "../../src/wire/event-loop.ts";
import { withSecrets } from "./upstream-secret.ts";
import { forgetPort, readMetrics, record, recordKey, recordPort } from "./written.ts";

/** Of the gateways here, and of consoles beside them. */
export const ADMIN_TOKEN = "the-token-of-the-admin-port-of-tests";

export type TestGateway = {
  /** `http://127.0.0.1:PORT`, without a network. */
  readonly origin: string;
  readonly port: number;
  readonly adminPort: number;
  readonly key: string;
  readonly keyId: string;
  readonly storage: Storage;
  /** Every log line so far, as text. */
  readonly log: () => string;
  /** The address of a network over HTTP and WebSocket, with the key. */
  readonly http: (network?: string) => string;
  readonly ws: (network?: string) => string;
  /** A key of another account, which is made for it. */
  readonly keyOf: (account: string, plan?: string) => Promise<string>;
  /** GET on the admin port. */
  readonly admin: (path: string) => Promise<Response>;
  /** Goes on with these networks. */
  readonly reload: (networks: readonly object[]) => Promise<void>;
  readonly stop: () => Promise<void>;
};

export type TestGatewayOptions = {
  /** As in the configuration file. */
  readonly networks: readonly object[];
  readonly server?: object;
  /** As in the configuration file. By default nothing is kept, so that every call reaches a node. */
  readonly cache?: object;
  readonly traces?: object;
  /** In addition to `test`, the account's plan, which no test uses up. */
  readonly plans?: object;
  /** Of connections; shorter ones than a test wants to wait for. */
  readonly limits?: Partial<ConnectionLimits>;
  /** In place of an empty one in memory. */
  readonly storage?: Storage;
  /** The e-mail of the first account, where another gateway has the same storage. */
  readonly account?: string;
  readonly clock?: Clock;
};

/** The gateway in this process on free ports, its accounts in memory, with one account and key. */
export async function startTestGateway(options: TestGatewayOptions): Promise<TestGateway> {
  const { limits } = options;
  const file = read(options);
  const loop = new EventLoop(file.server.wire);
  const { clock = loop.clock } = options;
  const config = {
    ...file,
    server: { ...file.server, limits: { ...CONNECTION_LIMITS, ...limits } },
  };
  const written: string[] = [];
  const writeLog = record("log", "log of a gateway in the test's process");
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      written.push(String(chunk));
      writeLog(chunk);
      done();
    },
  });
  const log = createLog({ level: "debug", terminal: false }, sink);
  const storage = options.storage ?? (await openStorage({ url: "memory:" }));
  const { id, key } = await demoKey(storage, config.plans, { account: options.account });
  recordKey(key);
  const gateway: RunningGateway = await startGateway(config, { storage, log, loop, clock });
  const ports = [gateway.port, gateway.adminPort ?? 0];
  for (const port of ports) recordPort(port);
  const first = config.networks[0]?.name ?? "";
  const secure = config.server.tls === undefined ? "" : "s";
  const host = `127.0.0.1:${gateway.port}`;
  return {
    origin: `http${secure}://${host}`,
    port: gateway.port,
    adminPort: gateway.adminPort ?? 0,
    key,
    keyId: id,
    storage,
    log: () => written.join(""),
    keyOf: async (account, plan) => {
      const made = await demoKey(storage, config.plans, { account, plan });
      recordKey(made.key);
      return made.key;
    },
    http: (network = first) => `http${secure}://${host}/${network}/v3/${key}`,
    ws: (network = first) => `ws${secure}://${host}/${network}/ws/v3/${key}`,
    admin: (path) =>
      fetch(`http://127.0.0.1:${gateway.adminPort}${path}`, {
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      }),
    reload: async (changed) => {
      const next = read({ ...options, networks: changed });
      const prepared = await gateway.prepare({ ...config, networks: next.networks });
      if (!("commit" in prepared)) throw new Error(JSON.stringify(prepared));
      await prepared.commit();
    },
    stop: async () => {
      await readMetrics(gateway.adminPort, ADMIN_TOKEN);
      await gateway.stop();
      for (const port of ports) forgetPort(port);
      await storage.close();
    },
  };
}

function read({ networks, cache = { memoryBytes: 0 }, ...options }: TestGatewayOptions): Config {
  const { server, plans, traces } = options;
  const file = {
    server: { port: 0, ...server },
    admin: { host: "127.0.0.1", port: 0, token: ADMIN_TOKEN },
    cache,
    ...(traces && { traces }),
    plans: { test: UNLIMITED, ...plans },
    networks: withSecrets(networks),
  };
  return parseConfig(JSON.stringify(file), { baseDir: process.cwd(), environment: {} });
}

const UNLIMITED = { dailyCredits: 1e12, creditsPerSecond: 1e10, failover: false };

async function demoKey(
  storage: Storage,
  plans: Record<string, object>,
  {
    account = "test@example.com",
    plan = "test",
  }: { account?: string | undefined; plan?: string | undefined } = {},
): Promise<{ id: string; key: string }> {
  const parts = { storage, plans, clock: systemClock, random: randomBytes };
  await createAccount(parts, { email: account, plan, operator: false });
  const { json } = await createKey(parts, { account, name: "test" });
  return json as { id: string; key: string };
}

/** A well-formed key that no store knows. */
export function strangeKey(): string {
  return createApiKey(randomBytes);
}

import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type RunningGateway, startGateway } from "../../app.ts";
import { DEFAULT_WIRE } from "../../config/default-wire.ts";
import { parseConfig } from "../../config/load.ts";
import { METHOD_GROUPS } from "../../config/method-groups.ts";
import type { Config } from "../../config/schema.ts";
import type { ConsoleStart } from "../../console/messages.ts";
import { DEV_CHAIN_ID, type DevNode, lookForAnvil } from "../../dev/anvil.ts";
import { bannerLines } from "../../dev/banner.ts";
import { type DevChain, startDevChain } from "../../dev/chain.ts";
import { startDemoTraffic } from "../../dev/demo-traffic.ts";
import { evmExamples } from "../../dev/evm-examples.ts";
import { slotExamples } from "../../dev/slot-examples.ts";
import { SAMPLE_LEDGER } from "../../dev/slot-samples.ts";
import { systemClock } from "../../lib/clock.ts";
import { openStorage } from "../../storage/open.ts";
import type { Storage } from "../../storage/store.ts";
import { ignoreSignals } from "../../telemetry/ignored-signals.ts";
import { createQuietLog, type Logger } from "../../telemetry/log.ts";
import { EventLoop } from "../../wire/event-loop.ts";
import { unwrap } from "../output.ts";
import { ConsoleHost, type ServingConsole } from "./console-process.ts";
import { type DemoKeys, demoKeys, showSpending } from "./dev-account.ts";
import { stopSignal } from "./stop-signal.ts";

const NETWORK = "dev";
const SLOT_NETWORK = "dev-slots";
const ACCOUNT = "demo@example.com";
const HOST = "127.0.0.1";
const PORT = 8545;
const ADMIN_PORT = 9545;
const DASHBOARD_PORT = 7545;
const BLOCK_TIME_SECONDS = 2;
/** The banner waits for the dashboard so long at most: calls can be made without it. */
const DASHBOARD_MS = 8000;
const SECRET_BYTES = 32;
/** How many ports after the wanted one are tried. */
const PORTS_TRIED = 50;

export type DevOptions = {
  /** Where chain and accounts are kept; without it they go with the process. */
  readonly data?: string;
  /** Prints more calls to paste, too. */
  readonly examples?: boolean;
};

/**
 * `dev [--data DIR] [--examples]`: everything embedded, on 127.0.0.1, until Ctrl-C: chain, gateway,
 * dashboard.
 * @throws CommandError where anvil is not installed; Error where it does not start, or no port is free
 */
export async function runDev(options: DevOptions, print: (text: string) => void): Promise<void> {
  unwrap(lookForAnvil());
  const stopped = stopSignal();
  const kept = options.data === undefined ? undefined : resolve(options.data);
  const folder = kept ?? (await mkdtemp(join(tmpdir(), "tollgate-dev-")));
  const { log, speak } = createQuietLog({ level: "info", terminal: process.stdout.isTTY });
  ignoreSignals(() => log);
  const open: (() => Promise<unknown>)[] = [];
  try {
    if (kept === undefined) open.push(() => rm(folder, { recursive: true, force: true }));
    // It loads while the chain starts.
    const dashboard = new ConsoleHost(log, systemClock);
    open.push(() => dashboard.stop());
    const chain = await startDevChain({
      blockTimeSeconds: BLOCK_TIME_SECONDS,
      ...(kept === undefined ? {} : { stateDir: join(kept, "chain") }),
    });
    open.push(chain.node.stop);
    const storage = await openStorage({ url: storageIn(folder) }, { log });
    open.push(storage.close);
    const configFor = () => devConfig(chain.node, { folder, kept: kept !== undefined });
    const { config, gateway } = await startOnFreePorts(configFor, { storage, log });
    open.push(gateway.stop);
    const opened = dashboard.start({
      config,
      ports: portsOf(config),
      printsMail: true,
      movesOn: true,
    });
    const keys = await demoKeys(storage, ACCOUNT);
    const page = await openedPage(dashboard, opened);
    print(printed({ chain, gateway, keys, page }, options.examples === true));
    speak();
    log.info("serving; Ctrl-C ends everything");
    open.push(showSpending({ storage, log }, keys));
    const gatewayUrl = `http://${HOST}:${gateway.port}`;
    const apiKey = keys.traffic.key;
    open.push(startDemoTraffic({ gatewayUrl, apiKey, samples: chain.samples }));
    const ended = await Promise.race([stopped, chain.node.ended]);
    log.info({ cause: ended }, "stopping");
  } finally {
    for (const close of open.reverse()) await close();
  }
}

const storageIn = (folder: string): string => `sqlite:${join(folder, "tollgate.db")}`;

/** Another program may take a port between the look and the opening: then it is looked for again. */
async function startOnFreePorts(
  makeConfig: () => Promise<Config>,
  parts: { readonly storage: Storage; readonly log: Logger },
): Promise<{ readonly config: Config; readonly gateway: RunningGateway }> {
  const loop = new EventLoop(DEFAULT_WIRE);
  for (let tries = 1; ; tries += 1) {
    const config = await makeConfig();
    try {
      const gateway = await startGateway(config, { ...parts, loop, clock: loop.clock });
      return { config, gateway };
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
      if (!isTaken || tries === PORTS_TRIED) throw error;
    }
  }
}

async function devConfig(
  node: DevNode,
  { folder, kept }: { readonly folder: string; readonly kept: boolean },
): Promise<Config> {
  return parseConfig(
    JSON.stringify({
      server: { host: HOST, port: await freePort(PORT) },
      admin: { host: HOST, port: await freePort(ADMIN_PORT) },
      console: {
        host: HOST,
        port: await freePort(DASHBOARD_PORT),
        signup: "open",
        secret: await dashboardSecret(kept ? join(folder, "console.secret") : undefined),
      },
      // Nothing is sent there: the dashboard prints its mail here.
      mail: { url: "smtp://localhost", from: "tollgate@localhost" },
      storage: { url: storageIn(folder) },
      networks: [
        {
          name: NETWORK,
          family: "evm",
          chainId: DEV_CHAIN_ID,
          groups: METHOD_GROUPS,
          // One process under two names: draining one of them shows that calls go to the other.
          upstreams: ["anvil", "anvil-2"].map((name) => ({ name, url: node.url, ws: node.wsUrl })),
        },
        {
          name: SLOT_NETWORK,
          family: "slot",
          upstreams: [{ name: "ledger", url: `file:${SAMPLE_LEDGER}` }],
        },
      ],
    }),
    { baseDir: process.cwd(), environment: {} },
  );
}

/** Kept with the accounts: second factors are encrypted with it. */
async function dashboardSecret(file: string | undefined): Promise<string> {
  const made = randomBytes(SECRET_BYTES).toString("base64url");
  if (file === undefined) return made;
  try {
    await writeFile(file, made, { flag: "wx", mode: 0o600 });
    return made;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return readFile(file, "utf8");
  }
}

type Page = { readonly url: string; readonly signInLink: string };

/** Undefined where it takes too long; why it does stands in the log. */
async function openedPage(
  dashboard: ConsoleHost,
  opened: Promise<ServingConsole>,
): Promise<Page | undefined> {
  const page = opened.then(async ({ publicUrl }) => {
    return { url: publicUrl, signInLink: await dashboard.signInLink(ACCOUNT) };
  });
  const waiting = new AbortController();
  const late = setTimeout(DASHBOARD_MS, undefined, { signal: waiting.signal });
  late.catch(() => undefined);
  try {
    return await Promise.race([page, late]);
  } finally {
    waiting.abort();
  }
}

/** They are known before anything listens: each was found to be free. */
function portsOf({ server, admin, console }: Config): ConsoleStart["ports"] {
  return { gateway: server.port, admin: admin?.port, console: console?.port ?? 0 };
}

type Running = {
  readonly chain: DevChain;
  readonly gateway: RunningGateway;
  readonly keys: DemoKeys;
  readonly page: Page | undefined;
};

/** The examples come first: the link that signs in stays in view. */
function printed({ chain, gateway, keys, page }: Running, withExamples: boolean): string {
  const apiKey = keys.own.key;
  const at = (network: string) => {
    const address = `${HOST}:${gateway.port}/${network}`;
    return { base: `http://${address}`, wsBase: `ws://${address}`, apiKey };
  };
  const [evm, slots] = [at(NETWORK), at(SLOT_NETWORK)];
  const adminUrl =
    gateway.adminPort === undefined ? undefined : `http://${HOST}:${gateway.adminPort}`;
  const examples = () => [
    ...evmExamples(`${evm.base}/v3/${apiKey}`, chain.samples),
    ...slotExamples(`${slots.base}/v3/${apiKey}`),
    "",
  ];
  return [...(withExamples ? examples() : []), ...bannerLines({ evm, slots, adminUrl, page })].join(
    "\n",
  );
}

/** The wanted port, or the next one that is free. */
async function freePort(wanted: number): Promise<number> {
  for (let port = wanted; port < wanted + PORTS_TRIED; port += 1) {
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${wanted} to ${wanted + PORTS_TRIED - 1} is free on ${HOST}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, HOST, () => probe.close(() => resolve(true)));
  });
}

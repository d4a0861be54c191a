import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type RunningGateway, startGateway } from "../app.ts";
import { parseConfig } from "../config/load.ts";
import { BUILT_IN_PLANS } from "../config/plans.ts";
import { DEV_CHAIN_ID, type DevNode } from "../dev/anvil.ts";
import { bannerLines } from "../dev/banner.ts";
import { type DevChain, startDevChain } from "../dev/chain.ts";
import { slotBannerLines } from "../dev/slot-banner.ts";
import { SAMPLE_LEDGER } from "../dev/slot-samples.ts";
import { systemClock } from "../lib/clock.ts";
import { openStorage } from "../storage/open.ts";
import type { Storage } from "../storage/store.ts";
import { createLog, type Logger } from "../telemetry/log.ts";
import { accountBalance } from "../usage/account-usage.ts";
import { createAccount } from "./accounts.ts";
import { createKey, revokeKey } from "./keys.ts";
import { stopSignal } from "./stop-signal.ts";

const NETWORK = "dev";
const SLOT_NETWORK = "dev-slots";
const ACCOUNT = "demo@example.com";
const KEY_NAME = "dev";
const PLAN = "team";
const HOST = "127.0.0.1";
const PORT = 8545;
const ADMIN_PORT = 9545;
const BLOCK_TIME_SECONDS = 2;
const BALANCE_MS = 1000;
/** How many ports after the wanted one are tried. */
const PORTS_TRIED = 50;

/**
 * `dev [--data DIR]`: everything embedded, on 127.0.0.1, until Ctrl-C. Without a folder nothing is
 * kept.
 * @throws where the local chain does not start, or no port is free
 */
export async function runDev(
  options: { readonly data?: string | undefined },
  print: (text: string) => void,
): Promise<void> {
  const stopped = stopSignal();
  const kept = options.data === undefined ? undefined : resolve(options.data);
  const folder = kept ?? (await mkdtemp(join(tmpdir(), "tollgate-dev-")));
  const log = createLog({ level: "info", terminal: process.stdout.isTTY });
  const open: (() => Promise<unknown>)[] = [];
  try {
    if (kept === undefined) open.push(() => rm(folder, { recursive: true, force: true }));
    const chain = await startDevChain({
      blockTimeSeconds: BLOCK_TIME_SECONDS,
      ...(kept === undefined ? {} : { stateDir: join(kept, "chain") }),
    });
    open.push(chain.node.stop);
    const storage = await openStorage(`sqlite:${join(folder, "tollgate.db")}`);
    open.push(storage.close);
    const gateway = await startOn(chain.node, { storage, log });
    open.push(gateway.stop);
    print(await banner({ chain, gateway, storage }));
    log.info({ blockTimeSeconds: BLOCK_TIME_SECONDS }, "serving; Ctrl-C ends everything");
    open.push(showBalance(storage, log));
    const ended = await Promise.race([stopped, chain.node.ended]);
    log.info({ cause: ended }, "stopping");
  } finally {
    for (const close of open.reverse()) await close();
  }
}

/**
 * A line whenever calls have cost something. Credits that are out on lease count as used until they
 * come back a second later, so only a figure that stands still is shown.
 */
function showBalance(storage: Storage, log: Logger): () => Promise<void> {
  let shown = 0;
  let last = 0;
  const look = async () => {
    const account = await storage.accounts.findByEmail(ACCOUNT);
    if (account === undefined) return;
    const parts = { storage, plans: BUILT_IN_PLANS };
    const { used, left } = await accountBalance(parts, account, systemClock.now());
    if (used === last && used !== shown) log.info({ used, left }, "credits of today");
    if (used === last) shown = used;
    last = used;
  };
  const timer = setInterval(() => void look().catch(() => undefined), BALANCE_MS);
  return async () => clearInterval(timer);
}

async function startOn(
  node: DevNode,
  parts: { readonly storage: Storage; readonly log: Logger },
): Promise<RunningGateway> {
  const config = parseConfig(
    JSON.stringify({
      server: { host: HOST, port: await freePort(PORT) },
      admin: { host: HOST, port: await freePort(ADMIN_PORT) },
      networks: [
        {
          name: NETWORK,
          family: "evm",
          chainId: DEV_CHAIN_ID,
          upstreams: [{ name: "anvil", url: node.url, ws: node.wsUrl }],
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
  return startGateway(config, { ...parts, clock: systemClock });
}

type Running = {
  readonly chain: DevChain;
  readonly gateway: RunningGateway;
  readonly storage: Storage;
};

async function banner({ chain, gateway, storage }: Running): Promise<string> {
  const apiKey = await demoKey(storage);
  const at = (network: string) => {
    const address = `${HOST}:${gateway.port}/${network}`;
    return { base: `http://${address}`, wsBase: `ws://${address}`, apiKey };
  };
  const lines = [
    ...bannerLines({
      ...at(NETWORK),
      samples: chain.samples,
      ...(gateway.adminPort !== undefined && { adminUrl: `http://${HOST}:${gateway.adminPort}` }),
    }),
    "",
    "A slot network, from a ledger of files",
    ...slotBannerLines(at(SLOT_NETWORK)),
  ];
  return `\n${lines.join("\n")}\n`;
}

/** A new key at each start, because only hashes are kept; the one of the last start ends. */
async function demoKey(storage: Storage): Promise<string> {
  const parts = { storage, plans: { [PLAN]: {} }, clock: systemClock, random: randomBytes };
  const account = await storage.accounts.findByEmail(ACCOUNT);
  if (account === undefined) {
    await createAccount(parts, { email: ACCOUNT, plan: PLAN, operator: true });
  }
  for (const { key } of await storage.keys.list(account?.id)) {
    if (key.name === KEY_NAME) await revokeKey(parts, { id: key.id });
  }
  const { json } = await createKey(parts, { account: ACCOUNT, name: KEY_NAME });
  return (json as { key: string }).key;
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

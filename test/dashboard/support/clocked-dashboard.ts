import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { newAccount } from "../../../src/access/new-account.ts";
import { parseConfig } from "../../../src/config/load.ts";
import { openAuth } from "../../../src/console/auth/auth.ts";
import { builtDocs } from "../../../src/console/docs.ts";
import { builtPages } from "../../../src/console/pages.ts";
import { buildServer } from "../../../src/console/server.ts";
import { authSettings, consoleSettings } from "../../../src/console/settings.ts";
import { openStorage } from "../../../src/storage/open.ts";
import type { Account, Storage } from "../../../src/storage/store.ts";
import { createLog } from "../../../src/telemetry/log.ts";
import { SECRET } from "../../console/support/test-console.ts";
import { freePort } from "../../support/free-port.ts";
import { timed } from "../../support/timed.ts";
import { forgetPort, record, recordPort, temporaryFolder } from "../../support/written.ts";
import { requirePages } from "./built-pages.ts";
import type { Visitor } from "./test-browser.ts";

/** A dashboard without a gateway, in the test's process, whose time the test sets. */
export type ClockedDashboard = {
  readonly origin: string;
  readonly storage: Storage;
  /** Of the one person. */
  readonly account: Account;
  readonly setTime: (now: number) => void;
  readonly signIn: (visitor: Visitor) => Promise<void>;
  readonly stop: () => Promise<void>;
};

const EMAIL = "ada@example.com";
const upstreams = [{ name: "node", url: "http://127.0.0.1:1" }];

export async function startClockedDashboard(): Promise<ClockedDashboard> {
  await requirePages();
  const folder = temporaryFolder("clocked");
  const port = await freePort();
  const config = parseConfig(
    JSON.stringify({
      console: { port, signup: "closed", secret: SECRET },
      storage: { url: `sqlite:${join(folder, "tollgate.db")}` },
      usage: { keep: { minutes: "40d" } },
      networks: [{ name: "mainnet", family: "evm", chainId: 1, upstreams }],
    }),
    { baseDir: folder, environment: {} },
  );
  const storage = await openStorage(config.storage);
  let time = Date.now();
  const clock = timed({ now: () => time, monotonic: () => performance.now() });
  const write = record("log", "log of a dashboard with a clock of the test");
  const log = createLog({ level: "info", terminal: false }, { write });
  const tools = { storage, mailer: undefined, log, clock, random: randomBytes };
  const settings = consoleSettings(config, { console: port, gateway: 1, admin: undefined });
  const auth = await openAuth(authSettings(settings), tools);
  const parts = { ...tools, auth, pages: builtPages(), docs: builtDocs(), version: "0.0.0" };
  const app = await buildServer(settings, parts);
  await app.listen({ host: "127.0.0.1", port });
  recordPort(port);
  const account = newAccount(tools, { email: EMAIL, plan: "team", operator: false });
  await storage.accounts.insert(account);
  return {
    ...{ origin: settings.publicUrl, storage, account },
    setTime: (now) => {
      time = now;
    },
    signIn: async ({ page }) => {
      await page.goto(await auth.signInLink(EMAIL));
    },
    stop: async () => {
      await app.close();
      forgetPort(port);
      await auth.close();
      await storage.close();
    },
  };
}

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Writable } from "node:stream";
import { newAccount } from "../../../src/access/new-account.ts";
import { parseConfig } from "../../../src/config/load.ts";
import type { Config } from "../../../src/config/schema.ts";
import { startConsole } from "../../../src/console/start-console.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { openStorage, type StorageSettings } from "../../../src/storage/open.ts";
import type { Account, Storage } from "../../../src/storage/store.ts";
import { createLog } from "../../../src/telemetry/log.ts";
import { testStorage } from "../../support/test-storage.ts";
import { forgetPort, record, recordPort, temporaryFolder } from "../../support/written.ts";
import { Browser } from "./browser.ts";
import { linkIn, type Mailbox, openMailbox } from "./mailbox.ts";

export const PASSWORD = "correct horse battery";
/** Of every console of the tests; no file or log may hold it. */
export const SECRET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEF";

export type TestConsole = {
  readonly config: Config;
  /** The public address: `http://localhost:PORT` unless the test gave another one. */
  readonly origin: string;
  readonly port: number;
  readonly folder: string;
  readonly mailbox: Mailbox;
  /** The gateway's store, as another process has it open. */
  readonly storage: Storage;
  /** Every log line so far. */
  readonly log: () => string;
  /** Without cookies. */
  readonly browser: () => Browser;
  readonly account: (email: string, over?: Partial<Account>) => Promise<Account>;
  /** Signs up by mail, verifies, and is signed in. */
  readonly signUp: (email: string) => Promise<Browser>;
  /** Signs in by a one-time link, without any mail. */
  readonly signIn: (email: string) => Promise<Browser>;
  readonly stop: () => Promise<void>;
};

export type TestConsoleOptions = {
  /** As in the configuration. */
  readonly console?: object;
  readonly server?: object;
  readonly plans?: object;
  readonly networks?: readonly object[];
  readonly keys?: object;
  readonly admin?: object;
  /** False: no mail is configured. */
  readonly mail?: boolean;
  /** In place of the mailbox's. */
  readonly mailUrl?: string;
  /** Of a gateway on the same store. */
  readonly ports?: { readonly gateway: number; readonly admin?: number | undefined };
  /** With `tollgate.db`; a new one by default. */
  readonly folder?: string;
  /** In place of that file. */
  readonly storage?: StorageSettings;
};

/** Of which a console alone needs no more than the name. */
const NETWORKS = [
  { name: "node", family: "evm", upstreams: [{ name: "geth", url: "http://127.0.0.1:1" }] },
];

/** The dashboard in the test's process, on a free port, with a mail server and files of its own. */
export async function startTestConsole(options: TestConsoleOptions = {}): Promise<TestConsole> {
  const mailbox = await openMailbox();
  const folder = options.folder ?? temporaryFolder("console");
  const file = `sqlite:${join(folder, "tollgate.db")}`;
  const storageIn = options.storage ?? (await testStorage(file, folder));
  const config = configOf(options, { mailbox, folder, storage: storageIn });
  const { logger, log } = collectLog();
  const storage = await openStorage(config.storage);
  const { gateway = 1, admin } = options.ports ?? {};
  const ports = { console: 0, gateway, admin };
  const running = await startConsole(
    { kind: "start", config, ports, printsMail: false, movesOn: false },
    logger,
  );
  recordPort(running.port);
  const origin = running.publicUrl;
  const isLocal = new URL(origin).hostname === "localhost";
  const connectTo = isLocal ? origin : `http://127.0.0.1:${running.port}`;
  const browser = () => new Browser(origin, connectTo);
  const signUp = async (email: string) => {
    const person = browser();
    const body = { name: email.split("@")[0], email, password: PASSWORD, callbackURL: "/" };
    await person.post("/api/auth/sign-up/email", body);
    await person.get(linkIn(await mailbox.next(email)));
    return person;
  };
  const signIn = async (email: string) => {
    const person = browser();
    await person.get(await running.signInLink(email));
    return person;
  };
  const account = async (email: string, over: Partial<Account> = {}) => {
    const made = newAccount(
      { clock: systemClock, random: randomBytes },
      { email, plan: "free", operator: false },
    );
    await storage.accounts.insert({ ...made, ...over });
    return { ...made, ...over };
  };
  const stop = async () => {
    await running.stop();
    forgetPort(running.port);
    await storage.close();
    await mailbox.close();
  };
  const found = { config, origin, port: running.port, folder, mailbox, storage };
  return { ...found, log, browser, account, signUp, signIn, stop };
}

function configOf(
  options: TestConsoleOptions,
  {
    mailbox,
    folder,
    storage,
  }: { readonly mailbox: Mailbox; readonly folder: string; readonly storage: StorageSettings },
): Config {
  const { server, console: section, networks = NETWORKS, mail = true, plans, keys } = options;
  return parseConfig(
    JSON.stringify({
      // So that each browser of a test can have an address of its own.
      server: { trustProxy: ["127.0.0.1"], ...server },
      console: { port: 0, signup: "open", secret: SECRET, ...section },
      ...(mail && { mail: { url: options.mailUrl ?? mailbox.url, from: "tollgate@example.com" } }),
      ...(options.admin !== undefined && { admin: options.admin }),
      ...(plans !== undefined && { plans }),
      ...(keys !== undefined && { keys }),
      storage,
      networks,
    }),
    { baseDir: folder, environment: {} },
  );
}

function collectLog() {
  const written: string[] = [];
  const writeLog = record("log", "log of a dashboard in the test's process");
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      written.push(String(chunk));
      writeLog(chunk);
      done();
    },
  });
  return {
    logger: createLog({ level: "debug", terminal: false }, sink),
    log: () => written.join(""),
  };
}

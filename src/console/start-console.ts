import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { ownConfig } from "../config/own-config.ts";
import { systemClock } from "../lib/clock.ts";
import { ownVersion } from "../lib/own-files.ts";
import { openStorage } from "../storage/open.ts";
import { storageClock } from "../storage/storage-clock.ts";
import type { Storage } from "../storage/store.ts";
import type { Logger } from "../telemetry/log.ts";
import { AlertJob } from "./alerts/alert-job.ts";
import { sealedAlerts, sealOldSecrets } from "./alerts/sealed-secrets.ts";
import { openAuth } from "./auth/auth.ts";
import { builtDocs } from "./docs.ts";
import { boundedMailer } from "./mail/bounded-mailer.ts";
import { smtpMailer } from "./mail/mailer.ts";
import { printedMail } from "./mail/printed-mail.ts";
import type { ConsoleStart } from "./messages.ts";
import { builtPages } from "./pages.ts";
import { buildServer } from "./server.ts";
import { authSettings, type ConsoleSettings, consoleOf, consoleSettings } from "./settings.ts";

export type RunningConsole = {
  readonly port: number;
  readonly publicUrl: string;
  readonly signInLink: (email: string) => Promise<string>;
  readonly stop: () => Promise<void>;
};

/** @throws StorageError, or the system's error where the port cannot be opened */
export async function startConsole(start: ConsoleStart, log: Logger): Promise<RunningConsole> {
  const config = ownConfig(start.config);
  const { host } = consoleOf(config);
  // The public address holds it, so it must be known before anything is built.
  const port = start.ports.console || (await freePort(host));
  const settings = consoleSettings(config, { ...start.ports, console: port });
  const ending: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of ending.reverse()) await end();
  };
  try {
    const opened = await openStorage(config.storage, { log, waits: true });
    ending.push(opened.close);
    const storage = await withSealedSecrets(opened, settings);
    const mailer = mailerOf(start);
    if (mailer !== undefined) ending.push(mailer.close);
    const clock = storageClock(storage, systemClock);
    const tools = { storage, mailer, log, clock, random: randomBytes };
    const auth = await openAuth(authSettings(settings), tools);
    ending.push(auth.close);
    const parts = { ...tools, auth, pages: builtPages(), docs: builtDocs(), version: ownVersion() };
    const app = await buildServer(settings, parts);
    ending.push(() => app.close());
    await app.listen({ host, port });
    const alerts = new AlertJob({ ...settings, ...tools });
    alerts.start();
    ending.push(() => alerts.stop());
    return { port, publicUrl: settings.publicUrl, signInLink: auth.signInLink, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @throws StorageError */
async function withSealedSecrets(
  storage: Storage,
  { console: { secret = "" } }: ConsoleSettings,
): Promise<Storage> {
  const alerts = sealedAlerts(storage.alerts, { secret, random: randomBytes });
  await sealOldSecrets(storage.alerts, alerts);
  return { ...storage, alerts };
}

function mailerOf({ config, printsMail }: ConsoleStart) {
  const mailer = printsMail
    ? printedMail((text) => process.stdout.write(text))
    : config.mail && smtpMailer(config.mail);
  return mailer && boundedMailer(mailer, systemClock);
}

async function freePort(host: string): Promise<number> {
  const probe = createServer().listen(0, host);
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

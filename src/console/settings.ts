import type { FastifyRequest } from "fastify";
import type { Config } from "../config/schema.ts";
import type { Time } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import { reachableHost } from "../lib/reachable-host.ts";
import type { Storage } from "../storage/store.ts";
import type { Logger } from "../telemetry/log.ts";
import type { AuthSettings } from "./auth/auth.ts";
import type { AdminAddress } from "./gateway/admin-client.ts";
import type { Mailer } from "./mail/mailer.ts";
import type { Ports } from "./messages.ts";

export type ConsoleConfig = NonNullable<Config["console"]>;

export type ConsoleSettings = {
  readonly config: Config;
  readonly console: ConsoleConfig;
  /** Scheme, host and port that browsers use; no slash at the end. */
  readonly publicUrl: string;
  /** The gateway, as this process calls it. */
  readonly gatewayUrl: string;
  /** Undefined where the admin port is not open. */
  readonly admin: AdminAddress | undefined;
};

/** The parts that every part of the dashboard works with. */
export type ConsoleTools = {
  readonly storage: Storage;
  /** Undefined where no mail can be sent. */
  readonly mailer: Mailer | undefined;
  readonly log: Logger;
  readonly clock: Time;
  readonly random: Random;
};

/** Where a request comes from, as the audit log has it. */
export type Client = { readonly ip: string; readonly agent: string | null };
export type ClientReader = (request: FastifyRequest) => Client;

export function consoleSettings(config: Config, ports: Ports): ConsoleSettings {
  const console = consoleOf(config);
  const { server, admin } = config;
  const scheme = server.tls === undefined ? "http" : "https";
  return {
    config,
    console,
    publicUrl: new URL(console.publicUrl ?? `http://localhost:${ports.console}`).origin,
    gatewayUrl: `${scheme}://${reachableHost(server.host)}:${ports.gateway}`,
    admin:
      admin && ports.admin
        ? { url: `http://${reachableHost(admin.host)}:${ports.admin}`, token: admin.token }
        : undefined,
  };
}

/** The request log, where it is a file that can be searched. */
export function searchedLog({ requestLog }: Config): NonNullable<Config["requestLog"]> | undefined {
  return requestLog?.path === "-" ? undefined : requestLog;
}

export function authSettings({ config, console, publicUrl }: ConsoleSettings): AuthSettings {
  const { secret = "", signup } = console;
  return { publicUrl, secret, signup, storage: config.storage };
}

export function consoleOf(config: Config): ConsoleConfig {
  if (config.console === undefined) throw new Error("the configuration has no console");
  return config.console;
}

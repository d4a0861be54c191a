import helmet from "@fastify/helmet";
import fastify, { type FastifyInstance } from "fastify";
import { ClientAddress } from "../access/client-address.ts";
import { Doors } from "../wire/server/doors.ts";
import { isUnservedUpgrade } from "../wire/server/unserved-upgrade.ts";
import { registerApi } from "./api/api.ts";
import { handleErrors } from "./api/errors.ts";
import type { Auth } from "./auth/auth.ts";
import { registerAuth } from "./auth/auth-routes.ts";
import { registerDocs } from "./docs.ts";
import { registerPages } from "./pages.ts";
import { PERMISSIONS_POLICY, securityHeaders } from "./security/headers.ts";
import { guardChange } from "./security/same-origin.ts";
import type { ClientReader, ConsoleSettings, ConsoleTools } from "./settings.ts";

/** The longest body is a call of the explorer; the gateway itself takes more. */
const BODY_BYTES = 262_144;
/** A request that has not arrived by then is given up. */
const REQUEST_MS = 30_000;
const MAX_CONNECTIONS = 1000;
/** For the database, mails, webhooks and calls of the gateway. */
const OWN_FILES = 128;

export type ServerParts = ConsoleTools & {
  readonly auth: Auth;
  readonly version: string;
  /** The folder of the built pages. */
  readonly pages: string;
  /** That of the documentation's site. */
  readonly docs: string;
};

/** The dashboard's server: routes, pages and what guards them. It does not listen yet. */
export async function buildServer(
  settings: ConsoleSettings,
  { auth, pages, docs, ...tools }: ServerParts,
): Promise<FastifyInstance> {
  const { publicUrl, config } = settings;
  const app = fastify({
    logger: false, // addresses of links hold tokens
    bodyLimit: BODY_BYTES,
    requestTimeout: REQUEST_MS,
    exposeHeadRoutes: false, // what checks links in mail with HEAD must not use them up
    forceCloseConnections: true,
  });
  const addresses = new ClientAddress(config.server.trustProxy);
  const isShared = (address: string) => addresses.isProxy(address);
  new Doors({ maxConnections: MAX_CONNECTIONS, reserved: OWN_FILES, isShared }).guard(app.server);
  handleErrors(app, tools.log);
  await app.register(helmet, securityHeaders(publicUrl));
  app.addHook("onRequest", async (request, reply) => {
    reply.header("permissions-policy", PERMISSIONS_POLICY);
    if (isUnservedUpgrade(request)) reply.header("connection", "close");
    if (/^\/+api(\/|\?|$)/.test(request.url)) reply.header("cache-control", "no-store");
    guardChange(request, publicUrl);
  });
  const clientOf = clientReader(addresses);
  registerAuth(app, { auth, publicUrl, clientOf, sendsMail: tools.mailer !== undefined });
  registerApi(app, { ...tools, ...settings, clientOf, sessions: auth.sessions });
  await registerPages(app, { folder: pages, publicUrl });
  registerDocs(app, docs);
  return app;
}

/** X-Forwarded-For counts from the proxies of `server.trustProxy` alone, as on the gateway. */
function clientReader(addresses: ClientAddress): ClientReader {
  return ({ socket, headers }) => {
    const peer = socket.remoteAddress ?? "";
    const forwarded = headers["x-forwarded-for"];
    const list = Array.isArray(forwarded) ? forwarded.join(",") : forwarded;
    const agent = headers["user-agent"] ?? null;
    return { ip: addresses.of(peer, list) ?? addresses.of(peer, undefined) ?? peer, agent };
  };
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Registry } from "prom-client";
import { Doors } from "../wire/server/doors.ts";
import { isUnservedUpgrade } from "../wire/server/unserved-upgrade.ts";
import { AdminAccess, type AdminAccessOptions } from "./admin-access.ts";
import type { Operations } from "./operations.ts";

export type AdminOptions = AdminAccessOptions & { readonly port: number };

/** Enough for scrapers, probes, operators and the dashboard together. */
export const ADMIN_CONNECTIONS = 100;

type Page = { readonly status: number; readonly type: string; readonly body: string };

const JSON_TYPE = "application/json";
const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

const NO_STORAGE = "the storage does not answer";
const HERE_ALONE = `${NO_STORAGE}: only this gateway holds to it now, and the others when it does`;

const SWITCH = /^\/networks\/([^/]+)\/upstreams\/([^/]+)\/(drain|enable)$/;

/**
 * The operators' port, never the public one: /healthz (no restart is needed), /readyz (it can
 * serve), /metrics (Prometheus text), /networks (heads and upstreams, which can be drained), /fleet (the
 * gateways that share the storage), /reload (reads the configuration file again).
 */
export class AdminServer {
  readonly #options: AdminOptions;
  readonly #access: AdminAccess;
  readonly #operations: Operations;
  readonly #server: Server;

  constructor(options: AdminOptions, operations: Operations) {
    this.#options = options;
    this.#access = new AdminAccess(options);
    this.#operations = operations;
    this.#server = createServer((request, response) => void this.#answer(request, response));
    const doors = { maxConnections: ADMIN_CONNECTIONS, reserved: 0, isShared: () => false };
    new Doors(doors).guard(this.#server);
  }

  /** Opens the port; resolves to the one that was taken. @throws where it cannot be opened */
  async listen(): Promise<number> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, type, body } = await this.#page(request);
    const challenge = status === 401 ? { "WWW-Authenticate": "Bearer" } : {};
    const length = Buffer.byteLength(body);
    if (isUnservedUpgrade(request)) response.setHeader("Connection", "close");
    response.writeHead(status, { "Content-Type": type, "Content-Length": length, ...challenge });
    response.end(body);
  }

  async #page({ method, url = "/", headers }: IncomingMessage): Promise<Page> {
    const rights = this.#access.rightsOf(headers);
    if (typeof rights === "object") return error(403, rights.refused);
    const path = url.split("?")[0] ?? "";
    const isProbe = path === "/healthz" || path === "/readyz";
    if (!isProbe && rights === "probes") {
      return error(401, "send the token of admin.token: Authorization: Bearer TOKEN");
    }
    const [, network, upstream, action] = SWITCH.exec(path) ?? [];
    if (network !== undefined && upstream !== undefined) {
      if (method !== "POST") return error(405, "send POST");
      return this.#drain(decoded(network), decoded(upstream), action === "drain");
    }
    if (path === "/reload") return method === "POST" ? this.#reload() : error(405, "send POST");
    if (method !== "GET") return error(405, "send GET");
    switch (path) {
      case "/healthz":
        return this.#health();
      case "/readyz": {
        const readiness = await this.#operations.readiness();
        const { ready } = readiness;
        // Obstacles name networks and upstreams.
        return json(ready ? 200 : 503, rights === "all" ? readiness : { ready });
      }
      case "/metrics":
        return { status: 200, type: METRICS_TYPE, body: await this.#operations.metrics() };
      case "/networks": {
        const networks = await this.#operations.networks();
        return networks === undefined ? error(503, "no worker answers") : json(200, { networks });
      }
      case "/fleet": {
        const fleet = await this.#operations.fleet();
        return fleet === undefined ? error(503, NO_STORAGE) : json(200, fleet);
      }
      default:
        return error(404, "there are /healthz, /readyz, /metrics, /networks, /fleet and /reload");
    }
  }

  #health(): Page {
    if (this.#operations.isHealthy()) return json(200, { ok: true });
    const text = "the storage does not start again: restart the gateway";
    return json(503, { ok: false, error: text });
  }

  async #reload(): Promise<Page> {
    const result = await this.#operations.reload?.();
    if (result === undefined) return error(409, "this gateway runs without a configuration file");
    if (result.reloaded) return json(200, result);
    return json(422, { error: "the configuration was refused; the old one stays", ...result });
  }

  async #drain(network: string, upstream: string, drained: boolean): Promise<Page> {
    const result = await this.#operations.setDrained({ network, upstream }, drained);
    if (result === "done") return json(200, { network, upstream, drained });
    if (result === "here") return json(200, { network, upstream, drained, note: HERE_ALONE });
    return result.missing === "network"
      ? error(404, "there is no network of this name")
      : error(404, "the network has no upstream of this name");
  }
}

function error(status: number, text: string): Page {
  return json(status, { error: text });
}

function json(status: number, body: object): Page {
  return { status, type: JSON_TYPE, body: JSON.stringify(body) };
}

/** Names of networks and upstreams need no escapes; what cannot be decoded names none. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

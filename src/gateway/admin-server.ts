import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Network } from "../networks/network.ts";
import { overviewOf } from "../networks/overview.ts";
import type { Metrics } from "../telemetry/metrics.ts";

export type AdminOptions = { readonly host: string; readonly port: number };

export type AdminParts = {
  readonly metrics: Metrics;
  readonly networks: readonly Network[];
  /** What keeps the gateway from serving, in words; empty when it can. */
  readonly obstacles: () => Promise<readonly string[]>;
};

type Page = { readonly status: number; readonly type: string; readonly body: string };

const JSON_TYPE = "application/json";

const SWITCH = /^\/networks\/([^/]+)\/upstreams\/([^/]+)\/(drain|enable)$/;

/**
 * The operators' port, never the public one: /healthz (the process answers), /readyz (it can
 * serve), /metrics (Prometheus text), /networks (heads and upstreams, which can be drained). A page
 * in a browser must not reach it, so requests that carry an Origin are refused.
 */
export class AdminServer {
  readonly #options: AdminOptions;
  readonly #parts: AdminParts;
  readonly #server: Server;

  constructor(options: AdminOptions, parts: AdminParts) {
    this.#options = options;
    this.#parts = parts;
    this.#server = createServer((request, response) => void this.#answer(request, response));
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
    response.writeHead(status, { "Content-Type": type, "Content-Length": Buffer.byteLength(body) });
    response.end(body);
  }

  async #page({ method, url = "/", headers }: IncomingMessage): Promise<Page> {
    if (headers.origin !== undefined) {
      return error(403, "this port is not for pages in a browser");
    }
    const path = url.split("?")[0] ?? "";
    const [, network, upstream, action] = SWITCH.exec(path) ?? [];
    if (network !== undefined && upstream !== undefined) {
      if (method !== "POST") return error(405, "send POST");
      return this.#drain(network, upstream, action === "drain");
    }
    if (method !== "GET") return error(405, "send GET");
    switch (path) {
      case "/healthz":
        return { status: 200, type: JSON_TYPE, body: '{"ok":true}' };
      case "/readyz":
        return this.#readiness();
      case "/metrics": {
        const { registry } = this.#parts.metrics;
        return { status: 200, type: registry.contentType, body: await registry.metrics() };
      }
      case "/networks": {
        const networks = await Promise.all(this.#parts.networks.map(overviewOf));
        return json(200, { networks });
      }
      default:
        return error(404, "there are /healthz, /readyz, /metrics and /networks");
    }
  }

  /** Until the process ends: what is to last belongs into the configuration. */
  #drain(name: string, upstream: string, drained: boolean): Page {
    const network = this.#parts.networks.find((each) => each.name === decoded(name));
    if (network === undefined) return error(404, "there is no network of this name");
    if (!network.setDrained(decoded(upstream), drained)) {
      return error(404, "the network has no upstream of this name");
    }
    return json(200, { network: network.name, upstream: decoded(upstream), drained });
  }

  async #readiness(): Promise<Page> {
    const obstacles = await this.#parts.obstacles();
    return json(obstacles.length === 0 ? 200 : 503, { ready: obstacles.length === 0, obstacles });
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

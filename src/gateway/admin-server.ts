import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Metrics } from "../telemetry/metrics.ts";

export type AdminOptions = { readonly host: string; readonly port: number };

export type AdminParts = {
  readonly metrics: Metrics;
  /** What keeps the gateway from serving, in words; empty when it can. */
  readonly obstacles: () => Promise<readonly string[]>;
};

type Page = { readonly status: number; readonly type: string; readonly body: string };

const JSON_TYPE = "application/json";

/**
 * The operators' port, never the public one: /healthz (the process answers), /readyz (it can
 * serve), /metrics (Prometheus text). A page in a browser must not reach it, so requests that
 * carry an Origin are refused.
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
    if (method !== "GET") return error(405, "send GET");
    switch (url.split("?")[0]) {
      case "/healthz":
        return { status: 200, type: JSON_TYPE, body: '{"ok":true}' };
      case "/readyz":
        return this.#readiness();
      case "/metrics": {
        const { registry } = this.#parts.metrics;
        return { status: 200, type: registry.contentType, body: await registry.metrics() };
      }
      default:
        return error(404, "there are /healthz, /readyz and /metrics");
    }
  }

  async #readiness(): Promise<Page> {
    const obstacles = await this.#parts.obstacles();
    const body = JSON.stringify({ ready: obstacles.length === 0, obstacles });
    return { status: obstacles.length === 0 ? 200 : 503, type: JSON_TYPE, body };
  }
}

function error(status: number, text: string): Page {
  return { status, type: JSON_TYPE, body: JSON.stringify({ error: text }) };
}

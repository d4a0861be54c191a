import type { NetworkOverview } from "../../networks/overview.ts";
import { notFound } from "../api/access.ts";
import { Problem } from "../api/problem.ts";

/** The gateway is on this machine: one that does not answer by then is not running. */
const TIMEOUT_MS = 3000;

export type AdminAddress = {
  /** `http://127.0.0.1:9545` */
  readonly url: string;
  /** `admin.token` */
  readonly token?: string | undefined;
};

/** The gateway's admin port. Everything rejects with a Problem where it does not answer. */
export class AdminClient {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ url, token }: AdminAddress) {
    this.#url = url;
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  async networks(): Promise<readonly NetworkOverview[]> {
    const response = await this.#ask("/networks");
    const { networks } = (await response.json()) as { networks: readonly NetworkOverview[] };
    return networks;
  }

  /** In Prometheus' text format. */
  async metrics(): Promise<string> {
    return (await this.#ask("/metrics")).text();
  }

  /** @throws Problem also where there is no such upstream */
  async setDrained(
    { network, upstream }: { readonly network: string; readonly upstream: string },
    drained: boolean,
  ): Promise<void> {
    const place = `/networks/${encodeURIComponent(network)}/upstreams/${encodeURIComponent(upstream)}`;
    await this.#ask(`${place}/${drained ? "drain" : "enable"}`, "POST");
  }

  async #ask(path: string, method = "GET"): Promise<Response> {
    let response: Response;
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const headers = this.#headers;
      response = await fetch(this.#url + path, { method, headers, signal, redirect: "error" });
    } catch (error) {
      throw silent(error);
    }
    if (response.ok) return response;
    await response.body?.cancel();
    throw response.status === 404 ? notFound() : silent(`status ${response.status}`);
  }
}

function silent(cause: unknown): Problem {
  const text =
    "the gateway's admin port does not answer; see in its log whether it runs, and try again";
  return new Problem("unavailable", text, { cause });
}

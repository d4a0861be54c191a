import type { RpcError } from "../../jsonrpc/errors.ts";
import { ownText } from "../../lib/bytes.ts";
import type { Network } from "../../networks/network.ts";
import type { ClientTransport } from "../../wire/server/request-head.ts";

/** Stage 2, first half: the network that an address names, and the key in it (not yet checked). */
export type Address = { readonly network: Network; readonly key: string };

const PLAIN_KEY = /^[A-Za-z0-9_]+$/;

type Addressed = readonly { readonly network: Network; readonly hosts: readonly string[] }[];

type Target = { readonly host: string; readonly path: string };

/**
 * The addresses of all networks: `/<network>/v3/<KEY>`, and `/v3/<KEY>` on a network's own host; for WebSockets also
 * with `/ws` before `/v3`.
 */
export class AddressBook {
  #byName: ReadonlyMap<string, Network> = new Map();
  #byHost: ReadonlyMap<string, Network> = new Map();
  /** Another number for each list of networks. */
  edition = 0;

  constructor(networks: Addressed) {
    this.serve(networks);
  }

  /** In place of those before. */
  serve(networks: Addressed): void {
    this.edition += 1;
    this.#byName = new Map(networks.map(({ network }) => [network.name, network]));
    this.#byHost = new Map(
      networks.flatMap(({ network, hosts }) =>
        hosts.map((host): [string, Network] => [host.toLowerCase(), network]),
      ),
    );
  }

  /** `target` is the request's own, origin or absolute form; `host` the Host header. */
  find(transport: ClientTransport, target: string, host: string): Address | RpcError {
    const plain = this.#byHost.size === 0 && transport === "http" ? this.#plain(target) : undefined;
    return plain ?? this.#read(transport, target, host);
  }

  /** The network that has this one's name now; undefined where it is served no more. */
  current({ name }: Network): Network | undefined {
    return this.#byName.get(name);
  }

  /** `/<network>/v3/<KEY>` and nothing else, which is nearly every request: no splitting, no host. */
  #plain(target: string): Address | undefined {
    const end = target.indexOf("/", 1);
    const network = this.#byName.get(target.slice(1, end));
    if (network === undefined || !target.startsWith("/v3/", end)) return undefined;
    // A slice of the target is compared with known keys by a slow way, with each request.
    const key = ownText(target.slice(end + 4));
    return PLAIN_KEY.test(key) ? { network, key } : undefined;
  }

  #read(transport: ClientTransport, target: string, host: string): Address | RpcError {
    if (target.includes("#")) return { name: "bad_request", details: "a fragment in the target" };
    const { host: authority, path } = splitTarget(target, host);
    const [, ...segments] = path.split("/");
    const own = this.#byHost.get(hostName(authority));
    const named = startsWithVersion(segments) ? undefined : segments.shift();
    const byName = named === undefined ? undefined : this.#byName.get(named);
    if (named !== undefined && byName === undefined)
      return this.#unknown(`no network ${quoted(named)}`);
    const network = byName ?? own;
    if (network === undefined) {
      return this.#unknown("the address names no network");
    }
    if (own !== undefined && own !== network) {
      return this.#unknown(`this host is of the network ${own.name}, the path of ${network.name}`);
    }
    return this.#keyIn(segments, transport, network);
  }

  #keyIn(segments: string[], transport: ClientTransport, network: Network): Address | RpcError {
    const written: ClientTransport = segments[0] === "ws" ? "websocket" : "http";
    if (written === "websocket") segments.shift();
    const [version, key = "", ...rest] = segments;
    if (version !== "v3") {
      const wrong = version === undefined ? "no version" : `no version ${quoted(version)}`;
      return this.#unknown(`${wrong} in the address`);
    }
    if (rest.length > 0) return this.#unknown("the path goes on after the API key");
    // @solana/web3.js opens its WebSocket where it sends its POSTs.
    if (written === "websocket" && transport === "http") {
      const details = "this address is for WebSocket; send HTTP POST to /<network>/v3/<API_KEY>";
      return { name: "not_found", details };
    }
    return { network, key };
  }

  #unknown(what: string): RpcError {
    const networks = [...this.#byName.keys()].join(", ");
    return {
      name: "not_found",
      details: `${what}; write /<network>/v3/<API_KEY> for HTTP POST or /<network>/ws/v3/<API_KEY> for WebSocket; networks: ${networks}`,
    };
  }
}

/** A name that was mistyped helps to be seen again; anything else may be a key in a wrong place. */
function quoted(segment: string): string {
  return /^(?!tg_)[a-z0-9._-]{1,24}$/.test(segment) ? `"${segment}"` : "of this name";
}

function startsWithVersion(segments: readonly string[]): boolean {
  return segments[0] === "v3" || segments[0] === "ws";
}

/** The absolute form (RFC 9112, 3.2.2) overrides the Host header; a query is ignored. */
function splitTarget(target: string, host: string): Target {
  const absolute = /^https?:\/\/([^/?]*)(.*)$/i.exec(target);
  const path = absolute === null ? target : (absolute[2] ?? "");
  const query = path.indexOf("?");
  return { host: absolute?.[1] ?? host, path: query === -1 ? path : path.slice(0, query) };
}

function hostName(authority: string): string {
  return authority.replace(/:\d*$/, "").replace(/\.$/, "").toLowerCase();
}

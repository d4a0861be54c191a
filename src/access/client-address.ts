import { rememberLast } from "../lib/remember-last.ts";
import { formatIp, type Ip, type IpRange, isInRange, parseIp, parseIpRange } from "./ip-ranges.ts";

/** An address with its port, as some proxies write it: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/;

/** Where a request comes from, behind the proxies of `server.trustProxy`. */
export class ClientAddress {
  readonly #trusted: readonly IpRange[];
  readonly #direct = rememberLast((peer) => formatted(parseIp(peer)));

  /** `trusted`: addresses and CIDR ranges, checked with the configuration. */
  constructor(trusted: readonly string[]) {
    this.#trusted = trusted.flatMap((entry) => parseIpRange(entry) ?? []);
  }

  /**
   * The right-most address of the way here that is not trusted: the connection's own, else those
   * of X-Forwarded-For from its end, because anybody can write its beginning. Where all are
   * trusted, the first. Undefined where the list goes on with something that is no address.
   */
  of(peer: string, forwardedFor: string | undefined): string | undefined {
    if (forwardedFor === undefined || this.#trusted.length === 0) return this.#direct(peer);
    let client = parseIp(peer);
    let rest = forwardedFor;
    while (client !== undefined && rest.trim() !== "" && this.#trusts(client)) {
      const comma = rest.lastIndexOf(",");
      client = readEntry(rest.slice(comma + 1).trim());
      rest = rest.slice(0, Math.max(comma, 0));
    }
    return formatted(client);
  }

  /** Whether the address is one of the proxies. */
  isProxy(address: string): boolean {
    const ip = parseIp(address);
    return ip !== undefined && this.#trusts(ip);
  }

  #trusts(ip: Ip): boolean {
    return this.#trusted.some((range) => isInRange(ip, range));
  }
}

function formatted(ip: Ip | undefined): string | undefined {
  return ip && formatIp(ip);
}

function readEntry(text: string): Ip | undefined {
  const [, bracketed, plain] = WITH_PORT.exec(text) ?? [];
  return parseIp(bracketed ?? plain ?? text);
}

import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";

export type AdminAccessOptions = {
  readonly host: string;
  readonly token?: string | undefined;
};

/** `probes`: whether it is healthy and ready, without a word of why not. */
export type AdminRights = "all" | "probes" | { readonly refused: string };

/**
 * The rights of a request to the admin port. A page in a browser may see nothing: it sends its Origin, or
 * reaches the port by a name of its own that resolves to this machine (DNS rebinding). So a Host has to
 * be an address, `localhost` or `admin.host`, unless the request has the token.
 */
export class AdminAccess {
  readonly #host: string;
  readonly #tokenHash: Buffer | undefined;

  constructor({ host, token }: AdminAccessOptions) {
    this.#host = host.toLowerCase();
    this.#tokenHash = token === undefined ? undefined : hash(token);
  }

  rightsOf({ origin, host, authorization }: IncomingHttpHeaders): AdminRights {
    if (origin !== undefined) return { refused: "this port is not for pages in a browser" };
    if (this.#hasToken(authorization)) return "all";
    if (host !== undefined && !this.#isOwn(host)) {
      const text = "the Host header names another host; use an IP address or localhost, or send";
      return { refused: `${text} the token of admin.token` };
    }
    return this.#tokenHash === undefined ? "all" : "probes";
  }

  #hasToken(authorization = ""): boolean {
    const [, token] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
    if (token === undefined || this.#tokenHash === undefined) return false;
    return timingSafeEqual(hash(token), this.#tokenHash);
  }

  #isOwn(header: string): boolean {
    const [, bracketed, plain = ""] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(header) ?? [];
    if (bracketed !== undefined) return isIP(bracketed) === 6;
    const name = plain.toLowerCase().replace(/\.$/, "");
    if (isIP(name) === 4 || name === this.#host) return true;
    return name === "localhost" || name.endsWith(".localhost");
  }
}

/** A digest has the same length for every token, so the comparison takes the same time. */
function hash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

import { type connect, isIP, type OnReadOpts, type Socket } from "node:net";
import * as tls from "node:tls";
import { Tunnel } from "./tunnel.ts";
import { secureContextOf, type Way } from "./way.ts";

/** The interval of probes on an idle connection, which a middlebox would forget otherwise. */
const KEEP_ALIVE_MS = 60_000;
const SECURE = /^(https|wss):$/;

/** Opens sockets to one origin: plain, or TLS with its name sent and sessions resumed; through a proxy where one is named. */
export class Dialer {
  readonly isSecure: boolean;
  /** Its sockets are no system's sockets, and read as streams alone. */
  readonly isTunnel: boolean;
  readonly #host: string;
  readonly #port: number;
  readonly #connect: typeof connect;
  readonly #proxy: URL | undefined;
  #context: tls.SecureContext | undefined;
  #session: Buffer | undefined;

  /** @throws TlsFilesError */
  constructor(url: URL, plain: typeof connect, way: Way = {}) {
    this.#connect = plain;
    this.isSecure = SECURE.test(url.protocol);
    this.#host = url.hostname.replace(/^\[(.*)\]$/, "$1");
    this.#port = url.port === "" ? (this.isSecure ? 443 : 80) : Number(url.port);
    this.#proxy = way.proxy === undefined ? undefined : new URL(way.proxy);
    this.isTunnel = this.#proxy !== undefined;
    if (way.tls !== undefined) this.#context = secureContextOf(way);
  }

  /** A socket that begins to connect, and reads as `onread` says, where it says something and it is no tunnel. */
  dial(onread?: OnReadOpts): Socket {
    const address = { host: this.#host, port: this.#port, ...(onread && { onread }) };
    const tunnel = this.#proxy && this.#openTunnel(this.#proxy);
    const socket = this.isSecure
      ? this.#dialSecure(tunnel === undefined ? address : { socket: tunnel })
      : (tunnel ?? this.#connect(address));
    // A tunnel that breaks before TLS has begun tells nobody else.
    tunnel?.on("error", (error) => socket.destroy(error));
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    return socket as Socket;
  }

  #openTunnel(proxy: URL): Tunnel {
    return new Tunnel({ proxy, host: this.#host, port: this.#port, connect: this.#connect });
  }

  #dialSecure(
    to: { host: string; port: number; onread?: OnReadOpts } | { socket: Tunnel },
  ): tls.TLSSocket {
    // One for all: making it reads every certificate that is trusted.
    this.#context ??= tls.createSecureContext();
    const socket = tls.connect({
      ...to,
      servername: isIP(this.#host) === 0 ? this.#host : "",
      ALPNProtocols: ["http/1.1"],
      secureContext: this.#context,
      ...(this.#session === undefined ? {} : { session: this.#session }),
    });
    socket.on("session", (session) => {
      this.#session = session;
    });
    return socket;
  }
}

import { type connect, isIP, type OnReadOpts, type Socket } from "node:net";
import * as tls from "node:tls";

/** The interval of probes on an idle connection, which a middlebox would forget otherwise. */
const KEEP_ALIVE_MS = 60_000;

/** Opens sockets to one origin: plain, or TLS with its name sent and sessions resumed. */
export class Dialer {
  readonly isSecure: boolean;
  readonly #host: string;
  readonly #port: number;
  readonly #connect: typeof connect;
  #context: tls.SecureContext | undefined;
  #session: Buffer | undefined;

  constructor(url: URL, plain: typeof connect) {
    this.#connect = plain;
    this.isSecure = url.protocol === "https:";
    this.#host = url.hostname.replace(/^\[(.*)\]$/, "$1");
    this.#port = url.port === "" ? (this.isSecure ? 443 : 80) : Number(url.port);
  }

  /** A socket that begins to connect, and reads as `onread` says, where it says something. */
  dial(onread?: OnReadOpts): Socket {
    const address = { host: this.#host, port: this.#port, ...(onread && { onread }) };
    const socket = this.isSecure ? this.#dialSecure(address) : this.#connect(address);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    return socket;
  }

  #dialSecure(address: { host: string; port: number; onread?: OnReadOpts }): Socket {
    // One for all: making it reads every certificate that is trusted.
    this.#context ??= tls.createSecureContext();
    const socket = tls.connect({
      ...address,
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

import { Buffer } from "node:buffer";
import type { connect, Socket } from "node:net";
import { Duplex } from "node:stream";
import { basicCredentials } from "./basic-credentials.ts";

const HEAD_END = "\r\n\r\n";
const MOST_HEAD_BYTES = 16_384;
const STATUS = /^HTTP\/1\.[01] (\d{3})/;
const DEFAULT_PORT = 80;

export type TunnelOptions = {
  /** May hold a user and a password. */
  readonly proxy: URL;
  readonly host: string;
  readonly port: number;
  readonly connect: typeof connect;
};

/**
 * A connection to a server through an HTTP proxy (RFC 9110, CONNECT). What is written waits until the proxy has opened
 * it. Where the proxy refuses, it ends with an error whose `code` has the status: `PROXY_HTTP_407`.
 */
export class Tunnel extends Duplex {
  readonly #socket: Socket;
  #isOpen = false;
  #head = Buffer.alloc(0);
  #unsent: (() => void) | undefined;

  constructor({ proxy, host, port, connect }: TunnelOptions) {
    super({ allowHalfOpen: false });
    const socket = connect({
      host: proxy.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: proxy.port === "" ? DEFAULT_PORT : Number(proxy.port),
    });
    this.#socket = socket;
    const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    const head = `CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n${credentialsOf(proxy)}\r\n`;
    socket.once("connect", () => socket.write(head));
    socket.on("data", (chunk: Buffer) => this.#received(chunk));
    socket.on("end", () => {
      if (this.#isOpen) this.push(null);
      else this.#fail("PROXY_CLOSED");
    });
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => this.destroy());
  }

  setNoDelay(isOn?: boolean): this {
    this.#socket.setNoDelay(isOn);
    return this;
  }

  setKeepAlive(isOn?: boolean, afterMs?: number): this {
    this.#socket.setKeepAlive(isOn, afterMs);
    return this;
  }

  ref(): this {
    this.#socket.ref();
    return this;
  }

  unref(): this {
    this.#socket.unref();
    return this;
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void) {
    const send = () => void this.#socket.write(chunk, done);
    if (this.#isOpen) send();
    else this.#unsent = send;
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  #received(chunk: Buffer): void {
    if (this.#isOpen) {
      if (!this.push(chunk)) this.#socket.pause();
      return;
    }
    this.#head = Buffer.concat([this.#head, chunk]);
    const end = this.#head.indexOf(HEAD_END);
    if (end < 0) {
      if (this.#head.length > MOST_HEAD_BYTES) this.#fail("PROXY_ANSWER_UNKNOWN");
      return;
    }
    const [, status = ""] = STATUS.exec(this.#head.toString("latin1", 0, end)) ?? [];
    if (status.startsWith("2")) this.#open(this.#head.subarray(end + HEAD_END.length));
    else this.#fail(status === "" ? "PROXY_ANSWER_UNKNOWN" : `PROXY_HTTP_${status}`);
  }

  #open(rest: Buffer): void {
    this.#isOpen = true;
    this.#head = Buffer.alloc(0);
    if (rest.length > 0) this.push(rest);
    this.#unsent?.();
    this.#unsent = undefined;
    this.emit("connect");
  }

  #fail(code: string): void {
    this.destroy(Object.assign(new Error("the proxy opened no tunnel"), { code }));
  }
}

/** A header line, or nothing. */
function credentialsOf(proxy: URL): string {
  const value = basicCredentials(proxy);
  return value === undefined ? "" : `proxy-authorization: ${value}\r\n`;
}

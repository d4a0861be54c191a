import type { Socket } from "node:net";
import { READ_BUFFER } from "../bytes/read-buffer.ts";
import { SocketReads } from "../socket-reads.ts";
import type { Dialer } from "./dialer.ts";
import type { Exchange } from "./exchange.ts";
import { type ConnectionOwner, HttpConnection } from "./http-connection.ts";
import { type Response, ResponseReader } from "./response-reader.ts";

/** A connection whose requests are written as they are, and whose responses are read by our own code. */
export class PlainHttpConnection extends HttpConnection {
  protected readonly socket: Socket;
  readonly #reader: ResponseReader;

  /** Begins to connect. */
  constructor(dialer: Dialer, owner: ConnectionOwner) {
    super(owner);
    const { buffers, clock, nodeReads, inside } = owner.loop;
    this.#reader = new ResponseReader(buffers);
    const reads = new SocketReads(
      { turns: nodeReads, inside },
      () => this.#buffer(),
      (size, bytes) => {
        clock.atOneMoment(this.#onBytes, size, bytes);
        return true;
      },
    );
    this.socket = dialer.dial(reads.onread);
    this.socket
      .once(dialer.isSecure ? "secureConnect" : "connect", () => reads.begin(this.socket))
      .on("end", () => this.#onEnd())
      .on("close", () => this.break("CONNECTION_CLOSED"));
    this.listen(dialer);
  }

  protected send({ request, maxBytes }: Exchange): void {
    this.#reader.begin(maxBytes);
    this.owner.loop.inside.writeText(this.socket, request);
  }

  protected wasSent(): boolean {
    return this.socket.writableLength === 0;
  }

  protected response(): Response {
    return this.#reader.take();
  }

  protected heldBytes(): number {
    return this.#reader.heldBytes;
  }

  protected forget(): void {
    this.#reader.free();
  }

  #buffer(): Buffer {
    return (this.exchange === undefined ? undefined : this.#reader.room()) ?? READ_BUFFER;
  }

  readonly #onBytes = (size: number, bytes: Uint8Array): void => {
    if (this.isEnded) return;
    if (this.exchange === undefined) {
      // Nobody asked.
      this.endUnneeded();
      return;
    }
    this.onHeard();
    this.proceed(
      bytes === READ_BUFFER ? this.#reader.read(READ_BUFFER, size) : this.#reader.advance(size),
    );
  };

  #onEnd(): void {
    if (this.exchange !== undefined && this.#reader.end() === "whole") this.proceed("whole");
    else this.break("CONNECTION_CLOSED");
  }
}

import type { Buffer } from "node:buffer";
import { Socket, type SocketConstructorOpts } from "node:net";
import type { Duplex } from "node:stream";
import { atOneMoment } from "../../lib/clock.ts";
import { freeableCopy } from "../bytes/free-memory.ts";
import { READ_BUFFER, readPart } from "../bytes/read-buffer.ts";
import { clientReads } from "../read-turns.ts";
import { SocketReads } from "../socket-reads.ts";

/** What Node keeps under a socket, and what its constructor takes beside what is documented. */
type Handle = NonNullable<SocketConstructorOpts["handle"]>;
type Inner = { _handle?: (Handle & { readonly useUserBuffer?: unknown }) | null };

/**
 * Reads an accepted socket without memory of its own for each read, which costs as much as parsing
 * the request in it. Node gives that (`onread`) only to sockets that connect, so the accepted one's
 * handle is put into a second socket; where that can't be done (TLS), bytes come as events.
 */
export class SocketReader {
  static readonly #readers = new WeakMap<Duplex, SocketReader>();
  /** To be used in place of the accepted one. */
  readonly socket: Socket;
  #take: (bytes: Buffer) => void;
  #mayRead = true;

  /** `take` must be done with the bytes when it returns: they are overwritten then. */
  constructor(accepted: Socket, take: (bytes: Buffer) => void) {
    this.#take = take;
    this.socket = this.#second(accepted) ?? accepted;
    if (this.socket === accepted) accepted.on("data", take);
    else SocketReader.#readers.set(this.socket, this);
  }

  /** Of the socket that is used in place of an accepted one. */
  static of(socket: Duplex): SocketReader | undefined {
    return SocketReader.#readers.get(socket);
  }

  /** From now on what is read comes as the socket's own data, to whoever listens to it. */
  release(): void {
    this.socket.off("data", this.#take);
    this.#take = this.pass;
  }

  /** After `release`: somebody takes what is read again, and may pass it on. */
  divert(take: (bytes: Buffer) => void): void {
    this.#take = take;
  }

  /** Makes a copy of these bytes the socket's own data. */
  readonly pass = (bytes: Buffer): void => {
    this.#mayRead = this.socket.push(freeableCopy(bytes));
  };

  #second(accepted: Socket & Inner): Socket | undefined {
    const { _handle: handle, allowHalfOpen } = accepted;
    // A TLS socket has a handle too, which is not where its bytes come from.
    if (Object.getPrototypeOf(accepted) !== Socket.prototype || handle?.useUserBuffer === undefined)
      return undefined;
    const reads = new SocketReads(
      clientReads,
      () => READ_BUFFER,
      (size) => {
        atOneMoment(this.#onRead, size);
        return this.#mayRead;
      },
    );
    const second = new Socket({ handle, allowHalfOpen, onread: reads.onread });
    reads.shorten(second);
    accepted._handle = null;
    // The server counts its connections by those that it has accepted.
    second.once("close", () => accepted.destroy());
    return second;
  }

  readonly #onRead = (size: number): void => {
    this.#mayRead = true;
    this.#take(readPart(0, size));
  };
}

import type { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import { freeableCopy } from "../bytes/free-memory.ts";
import { READ_BUFFER, readPart } from "../bytes/read-buffer.ts";
import type { EventLoop } from "../event-loop.ts";
import { SocketReads } from "../socket-reads.ts";

/**
 * Reads an accepted socket without memory of its own for each read, which costs as much as parsing
 * the request in it: a second socket takes its place. Where that can't be done (TLS), bytes come as
 * events.
 */
export class SocketReader {
  /** To be used in place of the accepted one. */
  readonly socket: Socket;
  #take: (bytes: Buffer) => void;
  #mayRead = true;
  /** Whether what is read comes past the socket's own data. */
  readonly isOwn: boolean;

  /** `take` must be done with the bytes when it returns: they are overwritten then. */
  constructor(accepted: Socket, take: (bytes: Buffer) => void, loop: EventLoop) {
    this.#take = take;
    this.socket = this.#second(accepted, loop) ?? accepted;
    this.isOwn = this.socket !== accepted;
    if (!this.isOwn) accepted.on("data", take);
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

  #second(accepted: Socket, loop: EventLoop): Socket | undefined {
    const reads = new SocketReads(
      { turns: loop.clientReads, inside: loop.inside },
      () => READ_BUFFER,
      (size) => {
        loop.clock.atOneMoment(this.#onRead, size);
        return this.#mayRead;
      },
    );
    const second = loop.inside.secondSocket(accepted, reads.onread);
    if (second !== undefined) reads.begin(second);
    return second;
  }

  readonly #onRead = (size: number): void => {
    this.#mayRead = true;
    this.#take(readPart(0, size));
  };
}

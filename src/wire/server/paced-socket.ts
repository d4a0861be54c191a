import type { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/** The bytes of one write: in such steps it shows how much a client has taken. */
const WRITE_BYTES = 65_536;

type Done = (error?: Error | null) => void;

/**
 * A socket that is written to in small pieces, each when the one before has gone. Node documents no other way
 * to see how fast a client takes a large answer: what the socket says of its writes counts whole writes.
 */
export class PacedSocket extends Duplex {
  readonly #socket: Socket;

  /** `socket`: nobody else reads or writes it from now on. */
  constructor(socket: Socket) {
    super({ allowHalfOpen: socket.allowHalfOpen });
    this.#socket = socket;
    socket
      .on("data", (bytes: Buffer) => {
        if (!this.push(bytes)) socket.pause();
      })
      .on("end", () => this.push(null))
      .on("error", (error) => this.destroy(error))
      .on("close", () => this.destroy());
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#writeFrom(0, bytes, done);
  }

  override _final(done: Done): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#socket.destroy();
    done(error);
  }

  #writeFrom(at: number, bytes: Buffer, done: Done): void {
    const end = at + WRITE_BYTES;
    let isOver = false;
    const goOn = (error?: Error | null): void => {
      if (isOver) return;
      isOver = true;
      if (error || end >= bytes.length) done(error);
      else this.#writeFrom(end, bytes, done);
    };
    this.#socket.write(bytes.subarray(at, end), goOn);
    // Nearly always the system takes a small piece at once: nothing is unsent then.
    if (this.#socket.writableLength === 0) goOn();
  }
}

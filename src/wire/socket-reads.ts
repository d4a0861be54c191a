import type { OnReadOpts, Socket } from "node:net";
import type { Reader, ReadTurns } from "./read-turns.ts";
import { type Handle, handleOf, streamWrap } from "./stream-wrap.ts";

/** Of Node's sockets, documented nowhere: `_unrefTimer` begins the timeout anew. */
type Inner = { readonly _unrefTimer?: () => void; readonly _handle?: Handle | null };

type Room = () => Uint8Array;

/**
 * Where a socket's reads go. Node finds by names what is to be done with each of them, in the socket,
 * its timeouts and its stream, which takes as long as looking the bytes over; a plain socket's can
 * come straight from what it stands on. Its end and its errors are the stream's as ever. What comes
 * in large reads takes turns with that of others: `ReadTurns`.
 */
export class SocketReads implements Reader {
  /** To make the socket with. */
  readonly onread: OnReadOpts;
  readonly #room: Room;
  readonly #take: (size: number, bytes: Uint8Array) => boolean;
  readonly #turns: ReadTurns;
  /** Where the next read goes. */
  #given: Uint8Array | undefined;
  #socket: (Socket & Inner) | undefined;

  /**
   * `room` is asked before each read, `take` is told how many of its bytes were read: false where no
   * more is to be read until the socket is resumed.
   */
  constructor(turns: ReadTurns, room: Room, take: (size: number, bytes: Uint8Array) => boolean) {
    this.#turns = turns;
    this.#room = room;
    this.#take = take;
    const buffer = () => {
      this.#given = room();
      return this.#given;
    };
    this.onread = { buffer, callback: (size, bytes) => this.#read(size, bytes) };
  }

  /**
   * The reads of this socket, which was made with `onread` and is connected, come straight from now on,
   * if it is a plain one.
   */
  shorten(socket: Socket & Inner): void {
    this.#socket = socket;
    const handle = handleOf(socket);
    const { onread: ofStream, readStop } = handle ?? {};
    if (streamWrap === undefined || handle === undefined) return;
    if (ofStream === undefined || readStop === undefined) return;
    const { streamBaseState, kReadBytesOrError } = streamWrap;
    handle.onread = (bytes) => {
      const size = streamBaseState[kReadBytesOrError] as number;
      if (size <= 0 || socket.destroyed) return ofStream.call(handle, bytes);
      if (socket.timeout) socket._unrefTimer?.();
      const given = this.#given as Uint8Array;
      const mayGoOn = this.#read(size, given);
      const next = this.#room();
      this.#given = next;
      if (!mayGoOn && !socket.destroyed) {
        handle.reading = false;
        readStop.call(handle);
      }
      return next === given ? undefined : next;
    };
  }

  /** False where no more is to be read until the socket is resumed. */
  #read(size: number, bytes: Uint8Array): boolean {
    if (!this.#take(size, bytes)) return false;
    if (this.#socket !== undefined) this.#turns.took(size, this);
    return true;
  }

  /** The socket is not told, whose stream would have it read on at once. */
  stop(): void {
    this.#socket?._handle?.readStop?.();
  }

  goOn(): void {
    const handle = this.#socket?._handle;
    // What was paused meanwhile is resumed by whoever paused it.
    if (handle?.reading) handle.readStart?.();
  }
}

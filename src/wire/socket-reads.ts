import type { OnReadOpts, Socket } from "node:net";
import type { NodeInside, StraightReads } from "./node-inside.ts";
import type { Reader, ReadTurns } from "./read-turns.ts";

const NOWHERE = new Uint8Array(0);

/**
 * Where a socket's reads go: into memory of their reader's, and, where this Node allows it, without
 * the way through the socket's stream. What comes in large reads takes turns with that of others:
 * `ReadTurns`.
 */
export class SocketReads implements Reader, StraightReads {
  /** To make the socket with. */
  readonly onread: OnReadOpts;
  given: Uint8Array = NOWHERE;
  readonly #room: () => Uint8Array;
  readonly #take: (size: number, bytes: Uint8Array) => boolean;
  readonly #turns: ReadTurns;
  readonly #inside: NodeInside;
  #socket: Socket | undefined;

  /**
   * `room` is asked before each read, `take` is told how many of its bytes were read: false where no
   * more is to be read until the socket is resumed.
   */
  constructor(
    { turns, inside }: { readonly turns: ReadTurns; readonly inside: NodeInside },
    room: () => Uint8Array,
    take: (size: number, bytes: Uint8Array) => boolean,
  ) {
    this.#turns = turns;
    this.#inside = inside;
    this.#room = room;
    this.#take = take;
    const buffer = () => {
      this.give();
      return this.given;
    };
    this.onread = { buffer, callback: (size) => this.took(size) };
  }

  /** The socket was made with `onread` and is connected; from now on its reads may come straight. */
  begin(socket: Socket): void {
    this.#socket = socket;
    this.#inside.readStraight(socket, this);
  }

  give(): void {
    this.given = this.#room();
  }

  took(size: number): boolean {
    if (!this.#take(size, this.given)) return false;
    if (this.#socket !== undefined) this.#turns.took(size, this);
    return true;
  }

  stop(): void {
    if (this.#socket !== undefined) this.#inside.stopReading(this.#socket);
  }

  goOn(): void {
    if (this.#socket !== undefined) this.#inside.goOnReading(this.#socket);
  }
}

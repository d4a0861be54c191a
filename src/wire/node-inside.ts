/**
 * All that the program uses of Node and that Node does not document. Each function has another way
 * where this Node does not have what it looks for. docs/performance-log.md has what each one saves.
 */
import { type OnReadOpts, Socket, type SocketConstructorOpts } from "node:net";
import process from "node:process";
import type { Duplex, Writable } from "node:stream";

/** The request of a write that the system has not finished. */
type WriteRequest = { oncomplete?: (...args: unknown[]) => void };

/** Node's handle of a socket; each of its functions may be missing in another version of Node. */
type Handle = NonNullable<SocketConstructorOpts["handle"]> & {
  /** Returns 0, or a negative error number of the system. */
  writeLatin1String?: (request: WriteRequest, text: string) => number;
  /** Called on the handle after each read; where it returns bytes, the next read goes into them. */
  onread?: (bytes?: ArrayBuffer) => Uint8Array | undefined;
  reading?: boolean;
  readStop?: () => number;
  readStart?: () => number;
  /** The bytes that were given to the system, and those that it has not taken yet. */
  readonly bytesWritten?: number;
  readonly writeQueueSize?: number;
  /** There where reads can go into memory that is given. */
  readonly useUserBuffer?: unknown;
};
type WritingHandle = Handle & Required<Pick<Handle, "writeLatin1String">>;

type InnerSocket = Socket & {
  _handle?: Handle | null;
  /** Begins the timeout anew. */
  readonly _unrefTimer?: () => void;
};

/** Node's own names for its `stream_wrap`: documented as deprecated, not as gone. */
type StreamWrap = {
  readonly WriteWrap: new () => WriteRequest;
  /** Numbers about the last read and write. */
  readonly streamBaseState: Int32Array;
  /** Where it says what was read: bytes, or a negative error number of the system. */
  readonly kReadBytesOrError: number;
  /** Where it says whether the last write is not finished yet. */
  readonly kLastWriteWasAsync: number;
};

export type StraightReads = {
  /** Where the read goes that comes next. */
  readonly given: Uint8Array;
  /** `size` bytes were read there; false if no more is to be read until the socket is resumed. */
  took(size: number): boolean;
  /** Looks for where the next read goes, which is `given` from then on. */
  give(): void;
};

/** Reaches into Node; each method has its documented way, too, and takes that alone where `isUsed` is false. */
export class NodeInside {
  /** Undefined where this Node gives it to nobody. */
  readonly #streamWrap: StreamWrap | undefined;
  readonly #isUsed: boolean;
  /** No write has it: one that the system takes at once does not touch it. */
  #spare: WriteRequest | undefined;

  constructor(isUsed: boolean) {
    this.#isUsed = isUsed;
    this.#streamWrap = isUsed ? foundStreamWrap() : undefined;
  }

  /**
   * `socket.write(text, "latin1")`, for a text whose characters are bytes; false where the socket has
   * more than enough. Where nothing waits to be written, the text is given to the system past the
   * socket's stream, whose states, objects and later calls are a twentieth of a forwarded call. What
   * the system does not take at once is the stream's as ever, with all that it tells:
   * `writableLength`, `drain`, errors, timeouts, the end.
   */
  writeText(socket: Writable, text: string): boolean {
    const wrap = this.#streamWrap;
    const handle = this.#readyHandle(socket);
    if (wrap === undefined || handle === undefined) return socket.write(text, "latin1");
    this.#spare ??= new wrap.WriteWrap();
    const status = handle.writeLatin1String(this.#spare, text);
    if (status === 0 && wrap.streamBaseState[wrap.kLastWriteWasAsync] === 0) return true;
    const begun = this.#spare;
    this.#spare = undefined;
    return this.#tellStream(socket, { handle, begun, status, text });
  }

  /** Undefined where the text has to wait for others, or where no plain socket is. */
  #readyHandle(socket: Writable): WritingHandle | undefined {
    const handle = this.#handleOf(socket);
    const isReady =
      socket.writableLength === 0 && socket.writableCorked === 0 && !(socket as Socket).connecting;
    if (!isReady || handle?.writeLatin1String === undefined) return undefined;
    return handle as WritingHandle;
  }

  /** The stream writes the text, and comes upon the write that was begun in place of a new one. */
  #tellStream(
    socket: Writable,
    {
      handle,
      begun,
      status,
      text,
    }: {
      readonly handle: Handle;
      readonly begun: WriteRequest;
      readonly status: number;
      readonly text: string;
    },
  ): boolean {
    handle.writeLatin1String = (request) => {
      // The handle's own again, of its prototype.
      delete handle.writeLatin1String;
      begun.oncomplete = (...args) => request.oncomplete?.(...args);
      return status;
    };
    return socket.write(text, "latin1");
  }

  /**
   * The reads of a connected socket that was made with `onread` come straight from the system: Node
   * finds by names what is to be done with each of them, in the socket, its timeouts and its stream,
   * which takes as long as looking the bytes over. Where this Node, or this socket, does not have it,
   * reads go on coming by `onread`. Ends and errors are the stream's either way.
   */
  readStraight(socket: InnerSocket, reads: StraightReads): void {
    const handle = this.#handleOf(socket);
    const { onread: ofStream, readStop } = handle ?? {};
    if (this.#streamWrap === undefined || handle === undefined) return;
    if (ofStream === undefined || readStop === undefined) return;
    const { streamBaseState, kReadBytesOrError } = this.#streamWrap;
    handle.onread = (bytes) => {
      const size = streamBaseState[kReadBytesOrError] as number;
      if (size <= 0 || socket.destroyed) return ofStream.call(handle, bytes);
      if (socket.timeout) socket._unrefTimer?.();
      const { given } = reads;
      const mayGoOn = reads.took(size);
      reads.give();
      if (!mayGoOn && !socket.destroyed) {
        handle.reading = false;
        readStop.call(handle);
      }
      return reads.given === given ? undefined : reads.given;
    };
  }

  /** Nothing more is read. The socket is not told, whose stream would have it read on at once. */
  stopReading(socket: InnerSocket): void {
    this.#handleOf(socket)?.readStop?.();
  }

  /** Reads again, unless the socket was paused meanwhile: it is resumed by whoever paused it. */
  goOnReading(socket: InnerSocket): void {
    const handle = this.#handleOf(socket);
    if (handle?.reading) handle.readStart?.();
  }

  /**
   * A socket in place of an accepted one, that reads as `onread` says: Node gives that only to sockets
   * that connect. Undefined where it can't be done, as with TLS, whose handle is not where its bytes
   * come from.
   */
  secondSocket(accepted: InnerSocket, onread: OnReadOpts): Socket | undefined {
    const { allowHalfOpen } = accepted;
    const handle = this.#handleOf(accepted);
    if (handle?.useUserBuffer === undefined) return undefined;
    const second = new Socket({ handle, allowHalfOpen, onread });
    accepted._handle = null;
    // The server counts its connections by those that it has accepted.
    second.once("close", () => accepted.destroy());
    return second;
  }

  /** The bytes of a socket's writes that the other side, or the system for it, has taken. */
  sendingOf(socket: InnerSocket): {
    readonly unsentBytes: number;
    readonly takenBytes: number;
  } {
    const { writableLength } = socket;
    const { bytesWritten, writeQueueSize } = (this.#isUsed && socket._handle) || {};
    if (bytesWritten === undefined || writeQueueSize === undefined) {
      // A large write then counts as taken when all of it is.
      return {
        unsentBytes: writableLength,
        takenBytes: (socket.bytesWritten ?? 0) - writableLength,
      };
    }
    return {
      unsentBytes: Math.max(writableLength, writeQueueSize),
      takenBytes: bytesWritten - writeQueueSize,
    };
  }

  /** The handle of a plain socket; undefined for any other, such as TLS, and once it is closed. */
  #handleOf(socket: Duplex | Writable): Handle | undefined {
    if (!this.#isUsed) return undefined;
    if (Object.getPrototypeOf(socket) !== Socket.prototype) return undefined;
    return (socket as InnerSocket)._handle ?? undefined;
  }
}

function foundStreamWrap(): StreamWrap | undefined {
  const { binding } = process as { binding?: (name: string) => Partial<StreamWrap> };
  try {
    const wrap = binding?.("stream_wrap");
    const isWhole =
      wrap?.WriteWrap !== undefined &&
      wrap.streamBaseState !== undefined &&
      wrap.kReadBytesOrError !== undefined &&
      wrap.kLastWriteWasAsync !== undefined;
    return isWhole ? (wrap as StreamWrap) : undefined;
  } catch {
    // Refused, as Node's permission model does.
    return undefined;
  }
}

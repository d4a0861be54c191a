import { Socket } from "node:net";
import process from "node:process";
import type { Writable } from "node:stream";

/** What stands for a write that the system has not finished. */
type WriteRequest = { oncomplete?: (...args: unknown[]) => void };

/** What Node keeps under a socket: returns 0, or a negative error number of the system. */
type Handle = { writeLatin1String?: (request: WriteRequest, text: string) => number };

/** Node's own names for its `stream_wrap`: documented as deprecated, not as gone. */
type StreamWrap = {
  readonly WriteWrap: new () => WriteRequest;
  /** Numbers about the last write; at `kLastWriteWasAsync`, whether it is not finished yet. */
  readonly streamBaseState: Int32Array;
  readonly kLastWriteWasAsync: number;
};

const wrap = streamWrap();
/** No write has it: one that the system takes at once does not touch it. */
let spare: WriteRequest | undefined;

/**
 * `socket.write(text, "latin1")`, for a text whose characters are bytes; false where the socket has
 * more than enough. Where nothing waits to be written, the text is given to the system past the
 * socket's stream, whose states, objects and later calls are a twentieth of a forwarded call. What
 * the system does not take at once is the stream's as ever, with all that it tells:
 * `writableLength`, `drain`, errors, timeouts, the end.
 */
export function writeText(socket: Writable, text: string): boolean {
  const handle = readyHandle(socket);
  if (wrap === undefined || handle === undefined) return socket.write(text, "latin1");
  spare ??= new wrap.WriteWrap();
  const status = handle.writeLatin1String(spare, text);
  if (status === 0 && wrap.streamBaseState[wrap.kLastWriteWasAsync] === 0) return true;
  const begun = spare;
  spare = undefined;
  return tellStream(socket, { handle, begun, status, text });
}

/** Undefined where the text has to wait for others, or where no plain socket is: TLS has its own way. */
function readyHandle(socket: Writable & { _handle?: Handle | null }): Required<Handle> | undefined {
  if (Object.getPrototypeOf(socket) !== Socket.prototype) return undefined;
  const { _handle: handle } = socket;
  const isReady =
    socket.writableLength === 0 && socket.writableCorked === 0 && !(socket as Socket).connecting;
  if (!isReady || handle?.writeLatin1String === undefined) return undefined;
  return handle as Required<Handle>;
}

/** The stream writes the text, and comes upon the write that was begun in place of a new one. */
function tellStream(
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

/** Undefined where this Node gives it to nobody. */
function streamWrap(): StreamWrap | undefined {
  const { binding } = process as { binding?: (name: string) => Partial<StreamWrap> };
  try {
    const found = binding?.("stream_wrap");
    const isWhole =
      found?.WriteWrap !== undefined &&
      found.kLastWriteWasAsync !== undefined &&
      found.streamBaseState !== undefined;
    return isWhole ? (found as StreamWrap) : undefined;
  } catch {
    // Refused, as Node's permission model does.
    return undefined;
  }
}

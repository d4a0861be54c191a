import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { type Handle, handleOf, streamWrap, type WriteRequest } from "./stream-wrap.ts";

type WritingHandle = Handle & Required<Pick<Handle, "writeLatin1String">>;

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
  if (streamWrap === undefined || handle === undefined) return socket.write(text, "latin1");
  spare ??= new streamWrap.WriteWrap();
  const status = handle.writeLatin1String(spare, text);
  if (status === 0 && streamWrap.streamBaseState[streamWrap.kLastWriteWasAsync] === 0) return true;
  const begun = spare;
  spare = undefined;
  return tellStream(socket, { handle, begun, status, text });
}

/** Undefined where the text has to wait for others, or where no plain socket is. */
function readyHandle(socket: Writable): WritingHandle | undefined {
  const handle = handleOf(socket);
  const isReady =
    socket.writableLength === 0 && socket.writableCorked === 0 && !(socket as Socket).connecting;
  if (!isReady || handle?.writeLatin1String === undefined) return undefined;
  return handle as WritingHandle;
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

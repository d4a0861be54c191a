import { Socket } from "node:net";
import process from "node:process";
import type { Duplex, Writable } from "node:stream";

/** What stands for a write that the system has not finished. */
export type WriteRequest = { oncomplete?: (...args: unknown[]) => void };

/** What Node keeps under a socket; each of its functions may be missing in another version of Node. */
export type Handle = {
  /** Returns 0, or a negative error number of the system. */
  writeLatin1String?: (request: WriteRequest, text: string) => number;
  /** Called on the handle after each read; where it returns bytes, the next read goes into them. */
  onread?: (bytes?: ArrayBuffer) => Uint8Array | undefined;
  reading?: boolean;
  readStop?: () => number;
  readStart?: () => number;
  /** What was given to the system, and what of it the system has not taken yet. */
  readonly bytesWritten?: number;
  readonly writeQueueSize?: number;
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

/** Undefined where this Node gives it to nobody. */
export const streamWrap = found();

/** Of a plain socket; undefined where no such is, or none is under it: TLS has its own way. */
export function handleOf(socket: Duplex | Writable): Handle | undefined {
  if (Object.getPrototypeOf(socket) !== Socket.prototype) return undefined;
  return (socket as { _handle?: Handle | null })._handle ?? undefined;
}

/** What of a socket's writes the other side, or the system for it, has taken. */
export function sendingOf(socket: Socket): {
  readonly unsentBytes: number;
  readonly takenBytes: number;
} {
  const { writableLength } = socket;
  const { bytesWritten, writeQueueSize } = (socket as { _handle?: Handle | null })._handle ?? {};
  if (bytesWritten === undefined || writeQueueSize === undefined) {
    // A large write then counts as taken when all of it is.
    return { unsentBytes: writableLength, takenBytes: (socket.bytesWritten ?? 0) - writableLength };
  }
  return {
    unsentBytes: Math.max(writableLength, writeQueueSize),
    takenBytes: bytesWritten - writeQueueSize,
  };
}

function found(): StreamWrap | undefined {
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

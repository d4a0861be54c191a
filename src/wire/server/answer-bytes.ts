import { Buffer } from "node:buffer";
import type { Writable } from "node:stream";
import { type Piece, sizeOf, wholeBytes, wholeText } from "../../lib/bytes.ts";
import type { LargeBuffers } from "../bytes/large-buffers.ts";
import type { EventLoop } from "../event-loop.ts";

/** Joined into one string and one write up to here; beyond, copying costs more than it saves. */
const ONE_WRITE_BYTES = 16_384;
/** The same of small pieces, such as a batch's: a buffer of each costs more than copying them twice. */
const SMALL_PIECES_BYTES = 65_536;
/** Pieces that are smaller on average (a rewritten pending block) are joined into one buffer. */
const SMALL_PIECE_BYTES = 2048;

/** The writes of an answer: one binary string, one buffer, or the pieces one after another. */
export function joinPieces(pieces: readonly Piece[]): string | Buffer | readonly Piece[] {
  const [only = ""] = pieces;
  if (pieces.length <= 1 && typeof only === "string") return only;
  const sizeBytes = sizeOf(pieces);
  const areSmall = sizeBytes / pieces.length < SMALL_PIECE_BYTES;
  if (sizeBytes <= (areSmall ? SMALL_PIECES_BYTES : ONE_WRITE_BYTES)) return wholeText(pieces);
  return areSmall ? wholeBytes(pieces) : pieces;
}

export type WrittenAnswer = {
  /** A binary string. */
  readonly head: string;
  readonly pieces: readonly Piece[];
};

/** Writes an answer, its head included, in one go; false where the socket has more than enough. */
export function writeAnswer(
  socket: Writable,
  { head, pieces }: WrittenAnswer,
  { inside, buffers }: EventLoop,
): boolean {
  const joined = joinPieces(pieces);
  if (typeof joined === "string") return inside.writeText(socket, head + joined);
  socket.cork();
  socket.write(head, "latin1");
  const rest = Buffer.isBuffer(joined) ? [joined] : joined;
  const last = rest.length - 1;
  let taken = true;
  for (const [index, piece] of rest.entries()) {
    // The answer was the last to hold what the node sent.
    const done = index === last ? () => giveBack(pieces, buffers) : undefined;
    taken = socket.write(piece, "latin1", done);
  }
  socket.uncork();
  return taken;
}

function giveBack(pieces: readonly Piece[], buffers: LargeBuffers): void {
  for (const piece of pieces) if (typeof piece !== "string") buffers.giveBack(piece);
}

import type { Piece } from "../../lib/bytes.ts";
import type { Holding } from "../../lib/memory-budget.ts";

/** Smaller ones share their memory with much that is not theirs (Buffer's pool). */
const OWN_MEMORY_BYTES = 4096;

/** The memory of a call that waits for a node, beside its message. */
export const CALL_BYTES = 2560;

/** Counts what of a result lies in memory of its own: it waits for those that it stands beside. */
export function holdLarge(holding: Holding, pieces: readonly Piece[]): void {
  for (const piece of pieces) {
    if (typeof piece !== "string" && piece.length >= OWN_MEMORY_BYTES) holding.share(piece.buffer);
  }
}

/** Counts an answer that waits: what lies in memory of its own once, whoever else waits for it. */
export function holdPieces(holding: Holding, pieces: readonly Piece[]): void {
  let bytes = 0;
  for (const piece of pieces) {
    if (typeof piece === "string" || piece.length < OWN_MEMORY_BYTES) bytes += piece.length;
    else holding.share(piece.buffer);
  }
  holding.add(bytes);
}

import { tokenFinder } from "../../lib/json-scan.ts";
import type { ShapeOptions } from "./shape.ts";

const OPEN_BRACE = 0x7b;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const TOTAL_DIFFICULTY = keyFinder("totalDifficulty");
const DIFFICULTY = keyFinder("difficulty");
const NULL = Buffer.from("null");
/** A quantity of 256 bits with its quotes, and a brace behind. */
const LONGEST_VALUE = 70;

type KeyFinder = { readonly find: (json: Buffer) => number; readonly length: number };

function keyFinder(name: string): KeyFinder {
  const key = `"${name}"`;
  return { find: tokenFinder(key), length: key.length };
}

/**
 * A mined block in the pieces that came from the socket: only `totalDifficulty` may have to be put
 * in. Joining a large block to look for it costs more than all the rest of the call. Undefined
 * where a look at the whole is needed: what is sought stands across two pieces, or may not be a key.
 */
export function blockInPieces(
  pieces: readonly Buffer[],
  options: ShapeOptions,
): readonly Buffer[] | undefined {
  const [first, ...rest] = pieces;
  const documented = options.pending && options.pendingBlock === "documented";
  if (documented || options.signatures === "padded" || first?.[0] !== OPEN_BRACE) return undefined;
  if (pieces.some((piece) => piece.includes(BACKSLASH))) return undefined;
  const given = valueAfter(pieces, TOTAL_DIFFICULTY);
  if (given === "across" || given?.subarray(0, NULL.length).equals(NULL)) return undefined;
  if (given !== undefined) return pieces;
  const value = totalDifficulty(pieces, options.finalTotalDifficulty);
  if (value === undefined) return undefined;
  const insertion = Buffer.from(`{"totalDifficulty":${value},`);
  return [insertion, first.subarray(1), ...rest];
}

function totalDifficulty(pieces: readonly Buffer[], final: string | undefined): string | undefined {
  if (final === undefined) return "null";
  const difficulty = valueAfter(pieces, DIFFICULTY);
  if (difficulty === undefined || difficulty === "across") return undefined;
  return difficulty.subarray(0, 5).toString("latin1") === '"0x0"' ? JSON.stringify(final) : "null";
}

/**
 * What follows the key and its colon. No string holds a key with its quotes: they would be escaped.
 * `across`: it, or its value, may reach from one piece into the next, or is written otherwise.
 */
function valueAfter(
  pieces: readonly Buffer[],
  { find, length }: KeyFinder,
): Buffer | "across" | undefined {
  for (const [index, piece] of pieces.entries()) {
    const at = find(piece);
    if (at >= 0) {
      const value = piece.subarray(at + length + 1);
      // White space, or no colon: not the compact form that this is for.
      if (piece[at + length] !== COLON || (value[0] ?? 0) <= 0x20) return "across";
      return value.length < LONGEST_VALUE && index < pieces.length - 1 ? "across" : value;
    }
    const next = pieces[index + 1];
    if (next === undefined) continue;
    const seam = Buffer.concat([piece.subarray(-length), next.subarray(0, length)]);
    if (find(seam) >= 0) return "across";
  }
  return undefined;
}

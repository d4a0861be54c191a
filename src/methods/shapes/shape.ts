import type { RpcError } from "../../jsonrpc/errors.ts";
import type { JsonValue } from "../../jsonrpc/value.ts";
import { type Piece, wholeBytes } from "../../lib/bytes.ts";

/** The choices of a network and a call among the documented shapes. */
export type ShapeOptions = {
  /** The call named the block tag `pending`. */
  readonly pending: boolean;
  readonly pendingBlock: "documented" | "node";
  readonly signatures: "node" | "padded";
  /** Quantity for blocks of difficulty 0x0 whose node leaves totalDifficulty out. */
  readonly finalTotalDifficulty: string | undefined;
};

/**
 * Brings a result (the node's own bytes of the `result` member, JSON text) to the documented shape.
 * Returns the pieces to be sent one after another: the same bytes where nothing is to change,
 * never a copy of what stays. `result` may be the JSON text `null`, which every shape passes on.
 * `args` are the params as they were sent to the node.
 */
export type Shape = (
  result: Buffer,
  options: ShapeOptions,
  args: readonly JsonValue[],
) => readonly Buffer[];

/** A shape that may find a result which the call does not allow: then the error that the call gets. */
export type CheckingShape = (...given: Parameters<Shape>) => ReturnType<Shape> | RpcError;

/** The node's bytes as they are. */
export const plain: Shape = (result) => [result];

/** A result, in one piece or several, in the documented shape; or why the call does not get it. */
export function shapeResult(
  shape: CheckingShape,
  result: readonly Piece[],
  ...[options, args]: readonly [options: ShapeOptions, args: readonly JsonValue[]]
): readonly Piece[] | RpcError {
  return shape === plain ? result : shape(wholeBytes(result), options, args);
}

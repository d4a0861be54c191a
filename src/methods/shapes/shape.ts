/** What a network and a call choose of the documented shapes. */
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
 */
export type Shape = (result: Buffer, options: ShapeOptions) => readonly Buffer[];

/** The node's bytes as they are. */
export const plain: Shape = (result) => [result];

/** A result, in one piece or several, in the documented shape. */
export function shapeResult(
  shape: Shape,
  result: readonly Buffer[],
  options: ShapeOptions,
): readonly Buffer[] {
  const [only] = result;
  return shape(result.length === 1 && only !== undefined ? only : Buffer.concat(result), options);
}

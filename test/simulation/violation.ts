/** An invariant did not hold. */
export class Violation extends Error {
  override readonly name = "Violation";
}

export function hold(condition: boolean, told: () => string): asserts condition {
  if (!condition) throw new Violation(told());
}

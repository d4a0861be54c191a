/** @throws where two readers of the same bytes do not say the same of `what` */
export function demandEqual(ours: unknown, theirs: unknown, what: string): void {
  if (Object.is(ours, theirs)) return;
  throw new Error(`${what}: ${show(ours)} where ${show(theirs)} is right`);
}

const show = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value) : String(value);

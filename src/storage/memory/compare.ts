/** Part by part, as the columns of an index are compared. */
export function compare(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  const index = a.findIndex((part, at) => part !== b[at]);
  const [left, right] = [a[index], b[index]];
  if (left === undefined || right === undefined) return 0;
  return left < right ? -1 : 1;
}

/** Credits of an owner that calls took, or that came back since they were not served. */
export type Moved = {
  readonly owner: string;
  readonly credits: number;
  readonly atMs: number;
  readonly isBack: boolean;
};

/** docs/credits.md: what is spent in so long need not be noted. */
const NOTED_EACH_MS = 100;
/** What came back is noted with the next tick. */
const TICK_MS = 250;

/**
 * The most that a kill costs an owner beside its calls in the air, with a journal: what it spent within a tenth of a
 * second, twice since that may double; and what came back since the last tick.
 */
export function costOfKill(
  moved: readonly Moved[],
  { owner, nowMs }: { readonly owner: string; readonly nowMs: number },
): number {
  const own = moved.filter((each) => each.owner === owner);
  const spent = own.filter(({ isBack }) => !isBack);
  let most = 0;
  for (const { atMs } of spent) {
    const within = spent.filter((each) => each.atMs <= atMs && each.atMs > atMs - NOTED_EACH_MS);
    most = Math.max(most, sumOf(within));
  }
  const since = nowMs - TICK_MS;
  return 2 * most + sumOf(own.filter(({ isBack, atMs }) => isBack && atMs >= since));
}

function sumOf(all: readonly Moved[]): number {
  return all.reduce((sum, { credits }) => sum + credits, 0);
}

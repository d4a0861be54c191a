import type { MonotonicMs } from "../lib/clock.ts";
import type { BalanceFigures, BalanceParts } from "./balance-options.ts";
import { DailyBalance } from "./daily-balance.ts";
import type { Denial } from "./denial.ts";
import type { Figures } from "./plans.ts";
import { TokenBucket } from "./token-bucket.ts";

/**
 * Several processes share the throughput by what the store grants. In 10 s that is 11 s' worth, the
 * burst included, less this; what their leases had before comes on top and stays below 10 % with it.
 */
const SHARED_RATE = 0.95;
/** No limit a day: more than any day has seconds for, and an exact integer whatever is added. */
const UNLIMITED_PER_DAY = 1e15;

/** An account, or a key with limits of its own: its throughput and its balance in this process. */
export class Owner {
  readonly balance: DailyBalance;
  /** When it was called last; never goes back. */
  usedAtMs: MonotonicMs;
  bucket: TokenBucket | undefined;
  #figures: Figures;

  constructor(
    id: string,
    figures: Figures,
    { atMs, ...parts }: BalanceParts & { atMs: MonotonicMs },
  ) {
    this.#figures = figures;
    this.usedAtMs = atMs;
    this.bucket = bucketOf(figures, atMs);
    const options = {
      owner: id,
      figures: balanceFigures(figures),
      // The part of the burst that others took in the meantime is not to be had here once more.
      onAlone: (agoMs: number, nowMs: MonotonicMs) => this.bucket?.emptied(agoMs, nowMs),
    };
    this.balance = new DailyBalance(options, parts);
  }

  /** A plan or a limit that changed is felt with the first call that knows of it. */
  follow(figures: Figures, atMs: MonotonicMs): void {
    this.usedAtMs = atMs;
    const last = this.#figures;
    if (figures === last) return;
    const { perDay, perSecond, accountPerSecond } = figures;
    this.#figures = figures;
    if (perSecond !== last.perSecond) {
      // Another one: calls that wait hold on to the bucket that they took from.
      this.bucket = bucketOf(figures, atMs, this.bucket);
    } else if (perDay === last.perDay && accountPerSecond === last.accountPerSecond) return;
    this.balance.setFigures(balanceFigures(figures));
  }

  /** Nothing would be lost if this process forgot it. */
  isForgettable(atMs: MonotonicMs): boolean {
    return !this.balance.isBusy && (this.bucket === undefined || this.bucket.isFull(atMs));
  }

  /** Why the throughput does not allow a call: where it never will, there are no credits to have. */
  throughputDenial(credits: number, atMs: MonotonicMs): Denial {
    const retryAfterSeconds = this.bucket?.secondsUntil(credits, atMs);
    if (retryAfterSeconds === Number.POSITIVE_INFINITY) return { kind: "balance" };
    return { kind: "throughput", ...(retryAfterSeconds && { retryAfterSeconds }) };
  }
}

function bucketOf(
  { perSecond }: Figures,
  atMs: MonotonicMs,
  before?: TokenBucket,
): TokenBucket | undefined {
  return perSecond === null ? undefined : new TokenBucket(perSecond, atMs, before);
}

function balanceFigures({ perDay, perSecond, accountPerSecond }: Figures): BalanceFigures {
  // A key without a throughput of its own is held to the account's: its row is never the first to end.
  const shared = perSecond === null ? accountPerSecond * 2 : perSecond * SHARED_RATE;
  return {
    perDay: perDay ?? UNLIMITED_PER_DAY,
    perSecond: perSecond ?? accountPerSecond,
    sharedPerSecond: Math.max(1, Math.floor(shared)),
  };
}

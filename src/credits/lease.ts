import type { Day } from "../storage/store.ts";

const DAY_MS = 86_400_000;

/** No call costs more; a test holds the methods' prices against it. */
export const DEAREST_CALL_CREDITS = 1000;

/**
 * What a lease holds is spent beside the burst that the store grants to a process which joins, and
 * the tenth that several may exceed the throughput by has room for no more than this.
 */
const SIZES_A_SECOND_ALONE = 8;
/** So small that eight processes together have no more than half a second. */
const SIZES_A_SECOND_SHARED = 16;

export function dayOf(nowMs: number): Day {
  return Math.floor(nowMs / DAY_MS);
}

/** The first millisecond after the day. */
export function endOf(day: Day): number {
  return (day + 1) * DAY_MS;
}

/** Whose lease it is. */
export type LeaseOwner = {
  readonly owner: string;
  /** Credits of all its leases that are on their way back to the store. */
  returning: number;
};

/** Credits that were debited in the store for one owner and day. */
export class Lease {
  readonly of: LeaseOwner;
  readonly day: Day;
  readonly endsAtMs: number;
  /** Credits that nobody holds. */
  left = 0;
  /** Credits on their way back to the store, and whether a statement has them in the air. */
  returning = 0;
  sending = false;

  constructor(of: LeaseOwner, day: Day) {
    this.of = of;
    this.day = day;
    this.endsAtMs = endOf(day);
  }
}

/**
 * The most that is open of one owner in one process, and so lost at a kill, unless the calls in the
 * air alone are more: a second of throughput or 1 % of the day, but at least the dearest call.
 */
export function leaseBound(perDay: number, perSecond: number): number {
  return Math.max(DEAREST_CALL_CREDITS, Math.min(perSecond, Math.floor(perDay / 100)));
}

/** What a lease is filled up to; calls that wait may take it beyond, up to the bound. */
export function leaseSize(perDay: number, perSecond: number, shared: boolean): number {
  const parts = shared ? SIZES_A_SECOND_SHARED : SIZES_A_SECOND_ALONE;
  return Math.max(1, Math.floor(Math.min(perSecond / parts, perDay / 100)));
}

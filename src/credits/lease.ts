import type { UnixMs } from "../lib/clock.ts";
import { DAY_MS, endOf } from "../lib/day.ts";
import { type Day, DEAREST_CALL_CREDITS } from "../storage/ledger-store.ts";

/**
 * The credits of a lease are spent beside the burst that the store grants to a process which joins, and
 * the tenth that several may exceed the throughput by has room for no more than this.
 */
const SIZES_A_SECOND_ALONE = 8;
/** With leases of this size, eight processes together hold at most half a second. */
const SIZES_A_SECOND_SHARED = 16;

/** Where others draw, too, the store grants no more at once than such a part of a second. */
const GRANTS_A_SECOND = 10;

/** A lease that is over its size by less than such a part stays: an owner that spends less each second would cost a statement each. */
const PARTS_TO_TRIM = 8;

/** Where 1 % of the day is less all that may be open is left to calls. */
const LEAST_TO_RESERVE = 8 * DEAREST_CALL_CREDITS;
const RESERVED = 3 / 4;

/** Credits of one owner and day that go back to the store: all of them so far, and those that have arrived. */
export class Series {
  readonly of: LeaseOwner;
  readonly day: Day;
  /** As `GivenBack` of the store has it. */
  readonly number: number;
  total = 0;
  arrived = 0;
  /** A statement has its total in the air. */
  sending = false;

  constructor(of: LeaseOwner, day: Day, number: number) {
    this.of = of;
    this.day = day;
    this.number = number;
  }
}

/** The owner of a lease. */
export type LeaseOwner = {
  readonly owner: string;
  /** By day; none where nothing is on its way. */
  readonly series: Map<Day, Series>;
  /** Credits of all its leases that are on their way back to the store. */
  returning: number;
  /** A statement that brings some of them back has ended, well or not. */
  readonly onReturned: () => void;
  /** All of a day that were on their way have arrived. */
  returned(day: Day): void;
  /** What a store on another machine is told with each statement: credits of the day that nobody holds. */
  tell(day: Day): number | undefined;
};

/** Credits that were debited in the store for one owner and day. */
export class Lease {
  readonly of: LeaseOwner;
  readonly day: Day;
  readonly #endsAtMs: UnixMs;
  /** Credits that nobody holds. */
  left = 0;

  constructor(of: LeaseOwner, day: Day) {
    this.of = of;
    this.day = day;
    this.#endsAtMs = endOf(day);
  }

  /** Whether it is of the day of this moment, Unix milliseconds. */
  isOf(nowMs: UnixMs): boolean {
    return nowMs < this.#endsAtMs && nowMs >= this.#endsAtMs - DAY_MS;
  }
}

/** The limits of an owner, and how its process stands to the store. */
export type LeaseFigures = {
  readonly perDay: number;
  readonly perSecond: number;
  /** Other processes draw on it, too. */
  readonly shared: boolean;
  /** What is in the reserve now. Absent: nothing. */
  readonly reserved?: number;
  /** What it has spent of late, where the store is another machine's; undefined where it is this one's. */
  readonly spent: number | undefined;
};

/** Credits. */
export type LeaseSizes = {
  /**
   * The most that is open of one owner in one process, and so lost at a kill, unless the calls in the air alone are more:
   * a second of throughput or 1 % of the day, but at least the dearest call. Where the lease alone may be
   * more, that with as much as it may be off by.
   */
  readonly bound: number;
  /** What a lease is filled up to; calls that wait may take it beyond, up to the bound. */
  readonly size: number;
  /** The most that is asked for at once on behalf of calls that wait, unless one alone needs more. */
  readonly together: number;
  /** As much more stays, until it is used. */
  readonly slack: number;
  /** What is kept beside a lease that is short because others draw too. */
  readonly reserve: number;
  /** Where others draw something is kept. */
  readonly mayReserve: boolean;
};

export function leaseSizes(figures: LeaseFigures): LeaseSizes {
  const { perDay, perSecond, shared, reserved = 0, spent } = figures;
  const onePercent = Math.floor(perDay / 100);
  const size = sizeOf(figures);
  const slack = spent === undefined ? 0 : Math.floor(size / PARTS_TO_TRIM);
  // On the store of another machine a process that shares an owner keeps what it would lease alone.
  const mayReserve = spent !== undefined && onePercent >= LEAST_TO_RESERVE;
  const most = Math.floor(onePercent * RESERVED);
  const reserves = shared && mayReserve;
  const reserve = reserves ? Math.min(sizeOf({ ...figures, shared: false }), most) : 0;
  // Calls that wait have room beside what is reserved.
  const calls = reserves ? 2 * DEAREST_CALL_CREDITS : 0;
  // Who is alone again keeps it until the lease is filled up.
  const open = Math.max(perSecond, size + slack + 1, calls) + (reserves ? reserve : reserved);
  const bound = Math.max(DEAREST_CALL_CREDITS, Math.min(open, onePercent));
  // Of a small day a lease is less than a call. The store grants so much at once, also where others draw.
  const few = Math.min(Math.floor(perSecond / GRANTS_A_SECOND), DEAREST_CALL_CREDITS);
  const together = onePercent < few ? few : size;
  return { bound, size, together, slack, reserve, mayReserve };
}

function sizeOf({ perDay, perSecond, shared, spent }: Omit<LeaseFigures, "reserved">): number {
  const parts = shared ? SIZES_A_SECOND_SHARED : SIZES_A_SECOND_ALONE;
  const kept = shared || spent === undefined ? 0 : Math.max(spent, DEAREST_CALL_CREDITS);
  return Math.max(1, Math.floor(Math.min(Math.max(perSecond / parts, kept), perDay / 100)));
}

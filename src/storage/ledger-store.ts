import type { UnixMs } from "../lib/moments.ts";

/** A UTC day, as days since 1970-01-01. */
export type Day = number;

/** No call costs more; a test holds the methods' prices against it. */
export const DEAREST_CALL_CREDITS = 1000;

/** A take is granted no more than such a part of the day's rest, whoever draws; and so is what is reserved beside it. */
export const SHARE_OF_REST = 16;

/**
 * Several processes that draw on an owner may each be given a share of its credits per second, which the row's
 * bucket then has less. It holds for so long from when the store was asked.
 */
export const SHARE_MS = 2000;
/** All shares together are at most so much of the credits per second; the rest is for who joins, and for bursts. */
export const SHARED_OUT = 0.9;
/** Less is no share: with the bursts of many small ones, a call dearer than a second of theirs, ten seconds would hold too much. */
export const LEAST_SHARE = 2 * DEAREST_CALL_CREDITS;

export type TakeRequest = {
  /** An account's id, or a key's where the key has a daily limit of its own. */
  readonly owner: string;
  readonly day: Day;
  /**
   * Null: the day has a balance of its own. Otherwise it shares one balance with the owner's other
   * days that have the same number here. Only the first take of a day decides this.
   */
  readonly pool: number | null;
  /**
   * How many of the owner's days that named this `pool` may have a balance of their own in place of sharing it:
   * those whose first takes came first. Processes that do not see the same days agree by this. Absent: none.
   */
  readonly spare?: number;
  /** Credits. Less than `least` are never granted: it is the price of the call that waits. */
  readonly want: number;
  readonly least: number;
  /** Credits of the day, without those that were added to it. */
  readonly limit: number;
  /** The process that takes. The row remembers it, so that several processes share the throughput. */
  readonly process: string;
  /**
   * Larger with each take of the process. The same number again is the same take: it is carried out once, and
   * answered alike. A smaller one comes late, and nobody waits for its grant: there is none.
   */
  readonly number: number;
  /** Credits per second that all processes together may take while there are several. */
  readonly perSecond: number;
  /** Credits to be kept for when the store is away, beside those that are wanted: the throughput does not count them. */
  readonly reserve?: number | undefined;
  /** The number of a take of this day that was answered to the process. */
  readonly known?: number | undefined;
  /** Credits of the day that the process has leased already, and has not spent. Absent: it does not tell. */
  readonly unspent?: number | undefined;
  /** Credits a second that calls ask the process for at present. Absent: it uses no share. */
  readonly wanted?: number | undefined;
  /** No call waits for it: it may be asked a little later, together with others. */
  readonly mayWait?: boolean;
  /** Unix milliseconds. */
  readonly now: UnixMs;
};

/**
 * What a process has told to be unspent holds for so long: it tells each second while it spends, and not once more
 * when it has spent all of it, or has ended. Two seconds after the last call nothing is to be left of it.
 */
export const TOLD_MS = 1900;

export type Grant = {
  /** The day that the credits were taken from: the one that was asked for. */
  readonly day: Day;
  /** 0, or `least` to `want`. Credits that the owner's row now counts as used. */
  readonly granted: number;
  /** 0 to `reserve`, and at most a sixteenth of what is left: used, too. Absent: none. */
  readonly reserved?: number;
  /** The rest of the day behind it, added credits included. */
  readonly left: number;
  /** Granted nothing because of the throughput that is shared: worth asking again after so long. */
  readonly waitMs: number;
  /** Another process took from this row within the last two seconds. */
  readonly shared: boolean;
  /**
   * Credits per second that the process may spend of what is reserved, for `SHARE_MS`: in proportion to what each
   * process wants, and up to twice that. A file gives none. Absent: none.
   */
  readonly share?: number;
  /** The database does not know of the take that the process knows: it has lost what was committed. A file does not tell. */
  readonly isForgotten?: true;
};

/** Credits that a process took of a day and did not spend. */
export type GivenBack = {
  readonly owner: string;
  readonly day: Day;
  readonly process: string;
  /** Larger with each series of the process. What comes of an earlier one comes late, and changes nothing. */
  readonly series: number;
  /** All that went back in this series. Sent again, or behind a larger one, it changes nothing. */
  readonly total: number;
  /** As in a take, without these. */
  readonly unspent?: number | undefined;
  /**
   * The row's token bucket has them not back: more was taken at once than it takes note of where a process is alone,
   * so it would be full although all of a second was spent.
   */
  readonly keepsThroughput?: boolean;
};

/** `used`: of the day's balance, which includes what other days used of a balance that is shared. */
export type DayBalance = { readonly used: number; readonly added: number };

/** A day that was forgotten, and what was used of it. */
export type ForgottenDay = { readonly owner: string; readonly day: Day; readonly used: number };

/**
 * The credits that were spent, one row for each owner and day. A debit is one conditional statement: no reading
 * before writing, in any number of processes. Whoever does not know what became of a take or of credits
 * that go back asks again, by the same number or total: they are carried out once.
 */
export type LedgerStore = {
  /**
   * Debits the day by min(want, left / 16) credits, at least `least`, at most what is left: so that
   * leases become small when a balance ends, and its last credits are not locked up in one process.
   * While `shared`, no more than the row's token bucket of `perSecond` (one second of burst) holds;
   * after `perSecond` was lowered that misses no more than two seconds' worth or the dearest call.
   */
  readonly take: (request: TakeRequest) => Promise<Grant>;
  /** Takes back what the total has more than before. */
  readonly giveBack: (given: GivenBack) => Promise<void>;
  /** Adds to the balance of a day. */
  readonly add: (owner: string, day: Day, credits: number) => Promise<DayBalance>;
  /** With the time, what processes have told in the last two seconds to be leased and not spent is not counted as used. */
  readonly read: (owner: string, day: Day, now?: UnixMs) => Promise<DayBalance>;
  /**
   * After a clock was wrong: forgets all days of these owners after this one, and gives each other
   * day a balance of its own. What was used of it stays used. The forgotten days, oldest first.
   */
  readonly repair: (owners: readonly string[], day: Day) => Promise<readonly ForgottenDay[]>;
  /** Rejects where nothing can be written at this moment, as when the disk is full. Changes nothing. */
  readonly check: () => Promise<void>;
};

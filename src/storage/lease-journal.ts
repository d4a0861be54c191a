import type { Day, TakeRequest } from "./ledger-store.ts";

/** Credits of one owner and day that a process has leased. */
export type JournalledLease = {
  readonly owner: string;
  readonly day: Day;
  /** As `GivenBack` has it. 0: none is known. */
  readonly series: number;
  /** What may go back in this series in all, were the process killed now. Never more than is sure to be unspent. */
  readonly total: number;
};

/**
 * What outlives a process that is killed, so that the next one can give back what it had leased. Every method has
 * written what it was told when it returns, and never throws: what cannot be written is lost as a whole, so
 * that nothing that is out of date is ever read.
 */
export type LeaseJournal = {
  /** Larger after what was written was lost: it has to be written again. */
  readonly generation: number;
  /** Before credits are spent that the last note of them counted as unspent. */
  readonly note: (lease: JournalledLease) => void;
  /** Before a take is sent: of one that is on its way nobody else knows whether it is carried out. */
  readonly asked: (request: TakeRequest) => void;
  /** As a note: what the take brought is counted. */
  readonly answered: (lease: JournalledLease) => void;
  /** Everything of this owner and day has gone back. */
  readonly drop: (owner: string, day: Day) => void;
};

/** A lease of a process that was killed. */
export type LeftLease = JournalledLease & {
  readonly process: string;
  /** Not answered when the process was killed. */
  readonly take: TakeRequest | undefined;
};

export type LeftLeases = {
  /** Up to so many. */
  readonly left: (most: number) => readonly LeftLease[];
  readonly gone: (lease: LeftLease) => void;
};

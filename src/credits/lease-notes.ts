import type { Clock, MonotonicMs } from "../lib/clock.ts";
import type { JournalledLease, LeaseJournal } from "../storage/lease-journal.ts";
import type { Day, TakeRequest } from "../storage/ledger-store.ts";

/** As much as is spent in so long may be spent without another note, and is lost at a kill. */
const NOTE_MS = 100;

/** Keeps the journal of one owner's lease ahead of what is spent of it. */
export class LeaseNotes {
  readonly #owner: string;
  readonly #journal: LeaseJournal;
  readonly #clock: Pick<Clock, "monotonic">;
  #generation: number;
  /** The lease may fall to so many credits without another note. Below 0: there is none. */
  #floor = -1;
  /** What the last note left to be spent. */
  #allowance = 0;
  /** The lease had so many credits at the last note, less what went back since. */
  #top = 0;
  #notedAtMs: MonotonicMs = 0;
  /** What went back since that no note tells of. */
  #unnoted = 0;
  /** Days that the journal may hold something of. */
  readonly days = new Set<Day>();

  constructor(
    owner: string,
    {
      journal,
      clock,
    }: { readonly journal: LeaseJournal; readonly clock: Pick<Clock, "monotonic"> },
  ) {
    this.#owner = owner;
    this.#journal = journal;
    this.#clock = clock;
    this.#generation = journal.generation;
  }

  asked(request: TakeRequest): void {
    this.days.add(request.day);
    this.#journal.asked(request);
  }

  /** To be called before credits are spent. Whether a note has to come first: so many will be left. */
  isBelow(left: number): boolean {
    return left < this.#floor;
  }

  /**
   * Before a note that has to come since a call of so many credits leaves so many. What comes at once may be a
   * burst, so that the allowance is twice what was spent at most.
   */
  spent(credits: number, left: number): void {
    const atMs = this.#clock.monotonic();
    const forMs = Math.max(NOTE_MS / 2, atMs - this.#notedAtMs);
    const soon = Math.floor(((this.#top - left) * NOTE_MS) / forMs);
    this.#allowance = Math.max(credits, soon);
    this.#notedAtMs = atMs;
  }

  /**
   * `total`: what went back so far in the series. `left`: what is in the lease, `isAnswered` with what a take brought.
   */
  write(
    { total, ...lease }: Omit<JournalledLease, "owner">,
    { left, isAnswered }: { readonly left: number; readonly isAnswered: boolean },
  ): void {
    this.#generation = this.#journal.generation;
    // What was spent in bursts long ago says little of what is spent next.
    const forMs = Math.max(NOTE_MS, this.#clock.monotonic() - this.#notedAtMs);
    this.#allowance = Math.floor((this.#allowance * NOTE_MS) / forMs);
    this.#top = left;
    this.#unnoted = 0;
    this.#floor = Math.max(0, left - this.#allowance);
    this.days.add(lease.day);
    const noted = { owner: this.#owner, ...lease, total: total + this.#floor };
    if (isAnswered) this.#journal.answered(noted);
    else this.#journal.note(noted);
  }

  /** Credits of another day than the lease's, all of which go back; `isAnswer`: a take has just brought them. */
  ended(lease: Omit<JournalledLease, "owner">, isAnswer: boolean): void {
    this.days.add(lease.day);
    const noted = { owner: this.#owner, ...lease };
    if (isAnswer) this.#journal.answered(noted);
    else this.#journal.note(noted);
  }

  /** So many are on their way back: those that the last note counted among what may, and perhaps more. */
  wentBack(credits: number): void {
    this.#top -= credits;
    this.#unnoted += Math.max(0, credits - Math.max(0, this.#floor));
    if (this.#floor >= 0) this.#floor = Math.max(0, this.#floor - credits);
  }

  /**
   * Whether so much more lies in the lease than was noted, or is on its way to a store that may not answer, that a kill
   * would cost more than it has to.
   */
  isOutdated(left: number): boolean {
    if (left + this.#unnoted === 0) return false;
    const isLost = this.#generation !== this.#journal.generation;
    return isLost || left + this.#unnoted - Math.max(0, this.#floor) > this.#allowance;
  }

  /** `isPresent`: it is the day of the lease. */
  drop(day: Day, isPresent: boolean): void {
    this.days.delete(day);
    if (isPresent) this.#floor = -1;
    this.#journal.drop(this.#owner, day);
  }
}

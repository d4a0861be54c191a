import type { Reservation } from "../../../src/credits/ledger.ts";
import type { CreditIdentity } from "../../../src/credits/plans.ts";
import { DEAREST_CALL_CREDITS } from "../../../src/storage/ledger-store.ts";
import { costOfKill, type Moved } from "../../credits/cost-of-kill.ts";
import { hold } from "../violation.ts";

/** The most that a process without a journal may have open: 1 % of a day. */
const OPEN_SHARE = 100;
const WINDOW_MS = 10_000;
/** What calls alone came to may be open for so long after: they wait two seconds, and a statement may hang twice. */
const ENDED_MS = 6000;
/** docs/credits.md: above the credits per second over ten seconds. */
const OVERSHOOT = 1.1;

/** Credits of one owner's day, in all gateways. */
type Row = { served: number; held: number; lostAtMost: number };
export type Held = {
  readonly owners: readonly string[];
  readonly credits: number;
  readonly day: number;
  readonly released: Released;
};
/** Credits of a call when it was admitted; 0 once it has ended free. */
type Released = { readonly atMs: number; credits: number };

/** What one gateway does with credits. */
export class GatewayBook {
  readonly moved: Moved[] = [];
  readonly held = new Map<Reservation, Held>();
  /** Credits of calls that wait for theirs, by owner. */
  readonly waiting = new Map<string, number>();
  /** What an owner's calls in the air and those that wait came to, each time that one more asked. */
  readonly asked: { readonly owner: string; readonly credits: number; readonly atMs: number }[] =
    [];

  /** Of the owner's calls in the air. */
  heldOf(owner: string): number {
    let sum = 0;
    for (const { owners, credits } of this.held.values())
      if (owners.includes(owner)) sum += credits;
    return sum;
  }
}

/** What all gateways served, as the calls themselves have it, and what a day had. */
export class Books {
  readonly #rows = new Map<string, Row>();
  /** The most that a day of an owner ever had. */
  readonly #mostPerDay = new Map<string, number>();
  readonly #released = new Map<string, Released[]>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A limit that an owner's day has from now on. */
  allow(owner: string, perDay: number): void {
    this.#mostPerDay.set(owner, Math.max(perDay, this.#mostPerDay.get(owner) ?? 0));
  }

  /** A call asks for credits: those of the key may be held before there are any of the account. */
  asked(book: GatewayBook, identity: CreditIdentity, credits: number): void {
    this.#wait(book, identity, credits);
    for (const owner of ownersOf(identity)) {
      const alone = book.heldOf(owner) + (book.waiting.get(owner) ?? 0);
      book.asked.push({ owner, credits: alone, atMs: this.#now() });
    }
    if (hasRow(identity)) this.#move(book, { owner: identity.keyId, credits, isBack: false });
  }

  /** What it asked for is held now, or the call was refused. */
  told(
    book: GatewayBook,
    { identity, credits }: { readonly identity: CreditIdentity; readonly credits: number },
    outcome: Reservation | { readonly kind: string },
  ): void {
    this.#wait(book, identity, -credits);
    if (!("kind" in outcome)) this.#admitted(book, identity, outcome);
    else if (hasRow(identity)) this.#move(book, { owner: identity.keyId, credits, isBack: true });
  }

  #wait(book: GatewayBook, identity: CreditIdentity, credits: number): void {
    for (const owner of ownersOf(identity)) {
      book.waiting.set(owner, (book.waiting.get(owner) ?? 0) + credits);
    }
  }

  #move(book: GatewayBook, moved: Omit<Moved, "atMs">): void {
    book.moved.push({ ...moved, atMs: this.#now() });
  }

  #admitted(book: GatewayBook, identity: CreditIdentity, reservation: Reservation): void {
    const { accountId } = identity;
    const { credits, day } = reservation;
    const owners = ownersOf(identity);
    const released: Released = { atMs: this.#now(), credits };
    book.held.set(reservation, { owners, credits, day, released });
    this.#move(book, { owner: accountId, credits, isBack: false });
    for (const owner of owners) {
      const row = this.row(owner, day);
      row.held += credits;
      const most = this.#mostPerDay.get(owner) ?? 0;
      const taken = row.served + row.held;
      hold(taken <= most, () => `${owner} was given ${taken} of ${most} on day ${day}`);
    }
    const all = this.#released.get(accountId) ?? [];
    this.#released.set(accountId, all);
    all.push(released);
  }

  settled(book: GatewayBook, reservation: Reservation, served: boolean): void {
    const held = book.held.get(reservation);
    hold(held !== undefined, () => "a call was settled twice");
    book.held.delete(reservation);
    for (const owner of held.owners) {
      const row = this.row(owner, held.day);
      row.held -= held.credits;
      if (served) row.served += held.credits;
      else this.#move(book, { owner, credits: held.credits, isBack: true });
    }
    if (!served) held.released.credits = 0;
  }

  /** What is open in a gateway may be lost with it, as docs/credits.md has it. */
  killed(book: GatewayBook, day: number, hasJournal: boolean): void {
    const heldBy = new Map(
      [...this.#mostPerDay.keys()].map((owner) => [owner, book.heldOf(owner)]),
    );
    for (const { owners, credits, day: its } of book.held.values()) {
      for (const owner of owners) {
        const row = this.row(owner, its);
        row.held -= credits;
        row.lostAtMost += credits;
      }
    }
    for (const [owner, perDay] of this.#mostPerDay) {
      const alone = this.#peak(book, owner) - (heldBy.get(owner) ?? 0);
      const open = Math.max(DEAREST_CALL_CREDITS, Math.floor(perDay / OPEN_SHARE), alone);
      const lost =
        (hasJournal ? costOfKill(book.moved, { owner, nowMs: this.#now() }) : open) +
        (book.waiting.get(owner) ?? 0);
      this.row(owner, day).lostAtMost += lost;
    }
  }

  /** The most that the owner's calls alone came to lately. */
  #peak({ asked }: GatewayBook, owner: string): number {
    const since = this.#now() - ENDED_MS;
    return asked.reduce(
      (most, { owner: of, credits, atMs }) =>
        of === owner && atMs >= since ? Math.max(most, credits) : most,
      0,
    );
  }

  row(owner: string, day: number): Row {
    const name = `${owner}/${day}`;
    let row = this.#rows.get(name);
    if (row === undefined) {
      row = { served: 0, held: 0, lostAtMost: 0 };
      this.#rows.set(name, row);
    }
    return row;
  }

  /** `used`: as the store has it, once all is at rest. */
  checkUsed(owner: string, day: number, used: number): void {
    const { served, held, lostAtMost } = this.row(owner, day);
    hold(held === 0, () => `${owner} still has ${held} held of day ${day}`);
    hold(used >= served, () => `${owner} was served ${served} on day ${day} and charged ${used}`);
    const lost = used - served;
    hold(
      lost <= lostAtMost,
      () => `${lost} of ${owner} are lost on day ${day}, over ${lostAtMost}`,
    );
    const most = this.#mostPerDay.get(owner) ?? 0;
    hold(used <= most, () => `${owner} was charged ${used} of ${most} on day ${day}`);
  }

  /** What was served over any ten seconds: calls that ended free are counted by the bucket of their own process alone. */
  checkThroughput(account: string, perSecond: number): void {
    const released = this.#released.get(account) ?? [];
    const most = perSecond * 10 * OVERSHOOT + DEAREST_CALL_CREDITS;
    let sum = 0;
    let first = 0;
    for (const { atMs, credits } of released) {
      sum += credits;
      for (; (released[first]?.atMs ?? atMs) <= atMs - WINDOW_MS; first += 1) {
        sum -= released[first]?.credits ?? 0;
      }
      hold(sum <= most, () => `${account} was served ${sum} in ten seconds of ${perSecond}`);
    }
  }
}

const hasRow = ({ keyLimits }: CreditIdentity): boolean => keyLimits.creditsPerDay !== null;

function ownersOf(identity: CreditIdentity): readonly string[] {
  const { accountId, keyId } = identity;
  return hasRow(identity) ? [accountId, keyId] : [accountId];
}

import type { Clock, MonotonicMs, UnixMs } from "../lib/clock.ts";
import type { Denial } from "./denial.ts";
import { Lease } from "./lease.ts";
import type { Owner } from "./owner.ts";
import { type Payers, Reservation } from "./reservation.ts";
import type { TokenBucket } from "./token-bucket.ts";

/** Why a call gets no credits; `key`: whose own limits say so. */
export type Denied = { readonly denial: Denial; readonly key: Owner | undefined };

/** Takes the throughput of the account, then of the key. Where one refuses nothing is taken. */
export function takeThroughput(
  { account, key }: Payers,
  credits: number,
  atMs: MonotonicMs,
): Denied | undefined {
  if (account.bucket?.take(credits, atMs) === false) {
    return { denial: account.throughputDenial(credits, atMs), key: undefined };
  }
  if (key?.bucket?.take(credits, atMs) === false) {
    account.bucket?.giveBack(credits);
    return { denial: key.throughputDenial(credits, atMs), key };
  }
  return undefined;
}

/** The same where a later check refuses. */
export function giveBackThroughput(payers: Payers, credits: number): void {
  for (const bucket of bucketsOf(payers)) bucket.giveBack(credits);
}

/** Holds the credits of the key's day, then of the account's; or what is held while the call waits. */
export function holdCredits(
  payers: Payers,
  credits: number,
  time: { readonly nowMs: UnixMs; readonly atMs: MonotonicMs },
): Reservation | Denied | { readonly keyLease: Lease | undefined } {
  const { account, key } = payers;
  const keyLease = key?.balance.hold(credits, time.nowMs, time.atMs);
  if (keyLease !== undefined && !(keyLease instanceof Lease)) return { denial: keyLease, key };
  if (key !== undefined && keyLease === undefined) return { keyLease };
  const lease = account.balance.hold(credits, time.nowMs, time.atMs);
  if (lease instanceof Lease)
    return new Reservation(credits, payers, { account: lease, key: keyLease });
  if (lease === undefined) return { keyLease };
  if (keyLease !== undefined) key?.balance.settle(keyLease, credits, false);
  return { denial: lease, key: undefined };
}

export type WaitingParts = {
  readonly clock: Clock;
  /** Those that it took from, whatever limits change meanwhile. */
  readonly buckets: readonly TokenBucket[];
  readonly resume: (outcome: Reservation | Denied) => void;
};

/** A call whose throughput is taken, and that waits for credits of its key, then of its account. */
export class WaitingAdmission {
  readonly #credits: number;
  readonly #payers: Payers;
  readonly #parts: WaitingParts;
  /** For the key and the account together. */
  readonly #sinceMs: MonotonicMs;
  #keyLease: Lease | undefined;

  constructor(credits: number, payers: Payers, parts: WaitingParts) {
    this.#credits = credits;
    this.#payers = payers;
    this.#parts = parts;
    this.#sinceMs = parts.clock.monotonic();
    for (const bucket of parts.buckets) bucket.defer(credits);
  }

  /** `keyLease`: what is held of the key's day already. */
  wait(keyLease: Lease | undefined): void {
    const { account, key } = this.#payers;
    this.#keyLease = keyLease;
    const waiting = { credits: this.#credits, sinceMs: this.#sinceMs };
    if (key === undefined || keyLease !== undefined) {
      account.balance.wait({ ...waiting, done: (outcome) => this.#ofAccount(outcome) });
    } else key.balance.wait({ ...waiting, done: (outcome) => this.#ofKey(outcome, key) });
  }

  #ofKey(outcome: Lease | Denial, key: Owner): void {
    if (!(outcome instanceof Lease)) {
      this.#end({ denial: outcome, key });
      return;
    }
    const { account } = this.#payers;
    const held = account.balance.hold(
      this.#credits,
      this.#parts.clock.now(),
      this.#parts.clock.monotonic(),
    );
    this.#keyLease = outcome;
    if (held === undefined) this.wait(outcome);
    else this.#ofAccount(held);
  }

  #ofAccount(outcome: Lease | Denial): void {
    const { key } = this.#payers;
    const keyLease = this.#keyLease;
    if (!(outcome instanceof Lease)) {
      if (keyLease !== undefined) key?.balance.settle(keyLease, this.#credits, false);
      this.#end({ denial: outcome, key: undefined });
      return;
    }
    const leases = { account: outcome, key: keyLease };
    const reservation = new Reservation(this.#credits, this.#payers, leases);
    // A call belongs to one day: where midnight, or a jump, came between the two, both begin again.
    if (keyLease !== undefined && keyLease.day !== outcome.day) {
      reservation.settle(false);
      this.wait(undefined);
      return;
    }
    this.#end(reservation);
  }

  #end(outcome: Reservation | Denied): void {
    const atMs = this.#parts.clock.monotonic();
    for (const bucket of this.#parts.buckets) {
      bucket.resume(this.#credits, atMs);
      if (!(outcome instanceof Reservation)) bucket.giveBack(this.#credits);
    }
    this.#parts.resume(outcome);
  }
}

/** What a call of theirs takes its throughput from. */
export function bucketsOf({ account, key }: Payers): TokenBucket[] {
  return [account.bucket, key?.bucket].filter((bucket) => bucket !== undefined);
}

import type { Clock } from "../../lib/clock.ts";
import { Problem } from "../api/problem.ts";

const HOUR_MS = 3_600_000;
/** Enough to invite a team; nobody fills other people's mailboxes with it. */
const TURNS_AN_HOUR = 30;

/** How often an account may make the console send something to an address of its choice. */
export class MailTurns {
  readonly #clock: Clock;
  #taken = new Map<string, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws Problem where the account has had its turns */
  take(accountId: string): void {
    const now = this.#clock.monotonic();
    const recent = (times: readonly number[]) => times.filter((time) => now - time < HOUR_MS);
    const taken = recent(this.#taken.get(accountId) ?? []);
    if (taken.length >= TURNS_AN_HOUR) {
      const text = `${TURNS_AN_HOUR} messages an hour can be sent to addresses that people choose; wait`;
      throw new Problem("too_many", text);
    }
    this.#taken.set(accountId, [...taken, now]);
    // Accounts whose turns are long ago are forgotten.
    if (this.#taken.size > 1000) {
      const all = [...this.#taken].map(([id, times]) => [id, recent(times)] as const);
      this.#taken = new Map(all.filter(([, times]) => times.length > 0));
    }
  }
}

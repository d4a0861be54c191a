import type { UnixMs } from "../../lib/moments.ts";
import { type Day, type GivenBack, type TakeRequest, TOLD_MS } from "../ledger-store.ts";

type Told = { credits: number; readonly at: UnixMs };

/** What processes have told to be leased and not spent. */
export class ToldLeases {
  /** By owner and day, then by process. */
  readonly #days = new Map<string, Map<string, Told>>();

  tell({ owner, process, unspent, now }: TakeRequest, day: Day, granted: number): void {
    if (unspent === undefined) return;
    const name = `${owner} ${day}`;
    const ofDay = this.#days.get(name) ?? new Map<string, Told>();
    this.#days.set(name, ofDay.set(process, { credits: unspent + granted, at: now }));
  }

  giveBack({ owner, day, process, unspent }: GivenBack, credits: number): void {
    const told = this.#days.get(`${owner} ${day}`)?.get(process);
    if (told === undefined || credits === 0) return;
    told.credits = unspent ?? Math.max(0, told.credits - credits);
  }

  /** 0 where nobody asks for it, without a time. */
  unspent(owner: string, day: Day, now: UnixMs | undefined): number {
    let sum = 0;
    for (const { credits, at } of this.#days.get(`${owner} ${day}`)?.values() ?? []) {
      if (now !== undefined && at > now - TOLD_MS) sum += credits;
    }
    return sum;
  }
}

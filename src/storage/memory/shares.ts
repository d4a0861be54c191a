import type { UnixMs } from "../../lib/moments.ts";
import {
  type Grant,
  LEAST_SHARE,
  SHARE_MS,
  SHARED_OUT,
  type TakeRequest,
} from "../ledger-store.ts";

type Share = { readonly perSecond: number; readonly wanted: number; readonly until: UnixMs };

/** The shares of an owner's credits per second that processes have; 0 for one that has told only what it wants. */
export class Shares {
  /** By owner, then by process. */
  readonly #owners = new Map<string, Map<string, Share>>();

  /** Credits per second that are given out. */
  givenOut(owner: string, now: UnixMs): number {
    return this.#others(owner, undefined, now).given;
  }

  /**
   * Credits per second for the process that takes, beside others where it is `shared`; `level`: of the row's bucket.
   * None while something has to be waited for that was drawn before.
   */
  give(
    { owner, process, perSecond, wanted, now }: TakeRequest,
    shared: boolean,
    level: number,
  ): Pick<Grant, "share"> {
    if (wanted === undefined) return {};
    const others = this.#others(owner, process, now);
    const most = Math.floor(perSecond * SHARED_OUT);
    const isSmall = (others.count + 1) * LEAST_SHARE > most;
    const fair = Math.min(
      2 * wanted,
      Math.floor((most * wanted) / Math.max(others.wanted + wanted, 1)),
    );
    const own = Math.min(Math.max(LEAST_SHARE, fair), most - others.given);
    const share = !shared || level < 0 || isSmall || own < LEAST_SHARE ? 0 : own;
    const processes = this.#owners.get(owner) ?? new Map<string, Share>();
    processes.set(process, { perSecond: share, wanted, until: now + SHARE_MS });
    this.#owners.set(owner, processes);
    return share > 0 ? { share } : {};
  }

  #others(owner: string, process: string | undefined, now: UnixMs) {
    let [given, wanted, count] = [0, 0, 0];
    for (const [name, share] of this.#owners.get(owner) ?? []) {
      if (name === process || share.until <= now) continue;
      given += share.perSecond;
      wanted += share.wanted;
      count += 1;
    }
    return { given, wanted, count };
  }
}

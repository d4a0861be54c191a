import type { Clock, MonotonicMs } from "../../lib/clock.ts";
import type { HeadView } from "./head-view.ts";
import { PollSchedule } from "./poll-schedule.ts";
import type { UpstreamWatch } from "./upstream-watch.ts";

/** One to look for the next block, and one to look again where that came too early. */
const KEPT_POLLS = 2;
/** So often at least a node on another fork is asked whether it is back, whatever the block time, while it is needed. */
const FORKED_MS = 5000;

export type PollerParts = {
  readonly clock: Pick<Clock, "monotonic">;
  readonly view: HeadView;
  /** The watches of all primaries. */
  readonly watches: readonly UpstreamWatch[];
};

/**
 * Asks for new blocks: one node when the next is expected, the others once it is known. No node is
 * asked more often than once for each block, over time.
 */
export class Poller {
  readonly #parts: PollerParts;
  readonly #schedule = new PollSchedule();
  #newest = -1;

  constructor(parts: PollerParts) {
    this.#parts = parts;
  }

  get blockTimeMs(): number {
    return this.#schedule.rhythm.blockTimeMs;
  }

  /** A client uses the head. True where none did for a while. */
  used(): boolean {
    return this.#schedule.used(this.#parts.clock.monotonic());
  }

  /** Takes notice of new blocks, whoever told of them. */
  note(now: MonotonicMs): void {
    const { newest, newestHeader } = this.#parts.view;
    const blocks = this.#newest < 0 ? 0 : newest - this.#newest;
    const isNew = newest > this.#newest;
    this.#newest = newest;
    if (!isNew) return;
    const timestamp = newestHeader?.number === newest ? newestHeader.timestamp : undefined;
    this.#schedule.sighted(newest, timestamp, now);
    for (const { account } of this.#parts.watches) account.earn(blocks);
  }

  /**
   * Polls whoever is due of `polled`; `isTold`: other nodes tell of new blocks by themselves.
   * Returns when it has to be done again, monotonic milliseconds.
   */
  poll(polled: readonly UpstreamWatch[], isTold: boolean, now: MonotonicMs): number {
    const schedule = this.#schedule;
    if (now >= schedule.followMs) {
      schedule.followMs = Number.POSITIVE_INFINITY;
      this.#follow(polled, isTold ? 0 : KEPT_POLLS);
    }
    if (schedule.isUsed(now)) this.#lookForForked(polled, now);
    const follow = polled.length > 0 ? schedule.followMs : Number.POSITIVE_INFINITY;
    const scout = chooseScout(polled);
    if (scout === undefined) return follow;
    const { account } = scout;
    if (now >= schedule.nextMs(account, isTold, now)) this.#scout(scout, now);
    return Math.min(follow, schedule.nextMs(account, isTold, now));
  }

  /** Asks for its head, at the cost of a poll. */
  look(watch: UpstreamWatch, done: (isRight: boolean) => void): void {
    watch.account.spend();
    watch.look("poll", done);
  }

  #scout(watch: UpstreamWatch, now: MonotonicMs): void {
    this.#schedule.sent(watch.account.mayPoll, now);
    const newest = this.#newest;
    this.look(watch, (isRight) => {
      this.note(this.#parts.clock.monotonic());
      if (this.#newest <= newest) this.#schedule.foundNothing(isRight);
    });
  }

  #lookForForked(polled: readonly UpstreamWatch[], now: MonotonicMs): void {
    for (const watch of polled) {
      const isDue = now - watch.askedMs >= FORKED_MS;
      if (watch.upstream.isForked && isDue && !watch.isLooking) this.look(watch, () => {});
    }
  }

  /** The others, once a new block is known; `kept` polls are for the next one. */
  #follow(polled: readonly UpstreamWatch[], kept: number): void {
    let spare = polled.reduce((sum, { account }) => sum + account.balance, -kept);
    for (const watch of polled) {
      if (spare < 1 || watch.isLooking || !watch.account.mayPoll) continue;
      const tip = this.#parts.view.tipOf(watch.upstream)?.number ?? -1;
      if (tip >= this.#newest) continue;
      spare -= 1;
      this.look(watch, () => {});
    }
  }
}

/** The node that may be asked most; among equals, the one that was asked least recently. */
function chooseScout(polled: readonly UpstreamWatch[]): UpstreamWatch | undefined {
  let best: UpstreamWatch | undefined;
  for (const watch of polled) {
    if (watch.isLooking) continue;
    const more = watch.account.balance - (best?.account.balance ?? Number.NEGATIVE_INFINITY);
    if (more > 0 || (more === 0 && watch.askedMs < (best?.askedMs ?? 0))) best = watch;
  }
  return best;
}

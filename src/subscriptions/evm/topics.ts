import { logCursor, told } from "../../methods/cursor.ts";
import type { Step, ToldBlock } from "../chain/told-block.ts";
import type { Partly, Telling, Topic } from "../chain/topic.ts";
import type { PricedEvent } from "../event-meter.ts";
import type { LogMatcher } from "../log-matcher.ts";
import { removedText, type ToldLog } from "./block-logs.ts";
import type { LogSource } from "./log-source.ts";

const HEAD: PricedEvent = Object.freeze({ method: "eth_subscription.newHeads", credits: 50 });
/** For all logs of a block, also where those that its bloom promised do not match. */
const LOGS: PricedEvent = Object.freeze({ method: "eth_subscription.logs", credits: 300 });
const FREE: PricedEvent = Object.freeze({ method: "eth_subscription.logs", credits: 0 });

export const HEADS: Topic = Object.freeze({
  tell: ({ kind, block }: Step) =>
    kind === "joins" ? { event: HEAD, all: [block.told] } : undefined,
});

/** For filters of blocks: their clients pay for asking, not for what they are told. */
export const HASHES: Topic = Object.freeze({
  tell: ({ kind, block }: Step) =>
    kind === "joins" ? { event: FREE, all: [`"${block.hash}"`] } : undefined,
});

export const NOTHING: Topic = Object.freeze({ tell: () => undefined });

/** Logs that match: in notifications, or for a filter, whose client pays for asking, by themselves. */
export class LogTopic implements Topic {
  readonly #matcher: LogMatcher;
  readonly details: LogSource;
  readonly #isOfFilter: boolean;

  constructor(matcher: LogMatcher, details: LogSource, isOfFilter = false) {
    this.#matcher = matcher;
    this.details = details;
    this.#isOfFilter = isOfFilter;
  }

  tell({ kind, block }: Step, partly: Partly | undefined): Telling | undefined | "wanted" {
    if (!this.#matcher.covers(block.number)) return undefined;
    const logs = this.details.known(block);
    const isByContract = this.#matcher.addresses !== undefined;
    // Logs of some contracts are found as fast as the bloom is looked at, and say more.
    const found = isByContract ? logs?.matching(this.#matcher) : undefined;
    if ((found?.length ?? 0) === 0 && !this.#matcher.mayMatch(block.bloom)) return undefined;
    if (logs === undefined) return "wanted";
    this.details.needed();
    const matching = found ?? logs.matching(this.#matcher);
    const isRemoving = kind === "leaves";
    const all: string[] = [];
    for (const log of matching) {
      if (partly !== undefined && isTold(partly, log.index) !== isRemoving) continue;
      all.push(this.#textOf(log, block, isRemoving));
    }
    return { event: isRemoving || this.#isOfFilter ? FREE : LOGS, all };
  }

  #textOf(log: ToldLog, block: ToldBlock, isRemoving: boolean): string {
    const text = isRemoving ? removedText(log) : log.text;
    return this.#isOfFilter ? text : told(text, logCursor(block.cursor, log.index, isRemoving));
  }
}

const isTold = (partly: Partly, index: number): boolean =>
  "upTo" in partly ? index <= partly.upTo : index > partly.after;

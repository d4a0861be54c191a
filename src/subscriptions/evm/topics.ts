import { toBinary } from "../../lib/bytes.ts";
import { logCursor, told } from "../../methods/cursor.ts";
import type { PricedEvent } from "../event-meter.ts";
import type { LogMatcher } from "../log-matcher.ts";
import { type BlockLogs, removedText, type ToldLog } from "./block-logs.ts";
import type { Step } from "./block-story.ts";
import type { LogSource } from "./log-source.ts";

const HEAD: PricedEvent = Object.freeze({ method: "eth_subscription.newHeads", credits: 50 });
/** For all logs of a block, also where those that its bloom promised do not match. */
const LOGS: PricedEvent = Object.freeze({ method: "eth_subscription.logs", credits: 300 });
const FREE: PricedEvent = Object.freeze({ method: "eth_subscription.logs", credits: 0 });

/** The logs of a block that its client was told of: those up to this one, or those after it. */
export type Partly = { readonly upTo: number } | { readonly after: number };

/** What a step is to one subscription. */
export type Telling = {
  readonly event: PricedEvent;
  /** What each notification says, from its result on. */
  readonly all: readonly string[];
};

/** A subscription's kind: what it tells of a step, without asking anybody. */
export type Topic = {
  /** Undefined: nothing. `wanted`: the block's logs are needed first. */
  tell(step: Step, partly: Partly | undefined): Telling | undefined | "wanted";
};

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
  readonly #source: Pick<LogSource, "known">;
  readonly #isOfFilter: boolean;

  constructor(matcher: LogMatcher, source: Pick<LogSource, "known">, isOfFilter = false) {
    this.#matcher = matcher;
    this.#source = source;
    this.#isOfFilter = isOfFilter;
  }

  tell({ kind, block }: Step, partly: Partly | undefined): Telling | undefined | "wanted" {
    if (!this.#matcher.mayMatch(block)) return undefined;
    const logs = this.#source.known(block);
    if (logs === undefined) return "wanted";
    const isRemoving = kind === "leaves";
    const isFree = isRemoving || this.#isOfFilter;
    const all = this.#of(logs, partly, isRemoving).map((log) => {
      const text = isRemoving ? removedText(log) : log.text;
      if (this.#isOfFilter) return toBinary(text);
      return toBinary(told(text, logCursor(block.cursor, log.index, isRemoving)));
    });
    return { event: isFree ? FREE : LOGS, all };
  }

  /** Those that join and were not told of yet, or leave and were. */
  #of(logs: BlockLogs, partly: Partly | undefined, isRemoving: boolean): readonly ToldLog[] {
    const matching = logs.matching(this.#matcher);
    if (partly === undefined) return matching;
    return matching.filter(({ index }) => isTold(partly, index) === isRemoving);
  }
}

const isTold = (partly: Partly, index: number): boolean =>
  "upTo" in partly ? index <= partly.upTo : index > partly.after;

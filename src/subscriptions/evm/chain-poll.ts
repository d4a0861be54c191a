import type { RpcError } from "../../jsonrpc/errors.ts";
import type { Piece } from "../../lib/bytes.ts";
import type { MonotonicMs } from "../../lib/clock.ts";
import { blockCursor } from "../../methods/cursor.ts";
import type { BlockStory } from "../chain/block-story.ts";
import { ChainSubscription } from "../chain/chain-subscription.ts";
import type { ChainSubscriptionParts } from "../chain/subscription-parts.ts";
import type { Topic } from "../chain/topic.ts";
import type { Asker, News } from "../subscription.ts";

/** The rest is told when it is asked for the next time. */
const MOST_RESULTS = 10_000;
/** A call cannot wait as long as a subscription for a block that nodes have lost. */
const MOST_TRIES = 4;
const UNTOLD: RpcError = {
  name: "unavailable",
  internal: "no node tells what is new for a filter",
};
const LOST: RpcError = { name: "filter_not_found" };

export type PollOptions = {
  readonly topic: Topic;
  readonly start: { readonly number: number; readonly hash: string };
  readonly untilMs: MonotonicMs;
};

export type PollParts = ChainSubscriptionParts & {
  readonly story: Pick<BlockStory, "isCurrent">;
  readonly clock: { readonly monotonic: () => MonotonicMs };
};

/**
 * Tells once what a subscription would have told since a block: a subscription whose notifications
 * are gathered until it has come to the network's head, or the time is over.
 */
export function pollChain(
  { topic, start, untilMs }: PollOptions,
  { identity, network }: Asker,
  { parts, done }: { readonly parts: PollParts; readonly done: (news: News | RpcError) => void },
): void {
  const { clock, timers, story } = parts;
  const results: Piece[] = [];
  let isDone = false;
  const isFull = () => results.length >= MOST_RESULTS;
  const end = (outcome: News | RpcError): void => {
    if (isDone) return;
    isDone = true;
    timers.clear(timer);
    subscription.end();
    done(outcome);
  };
  const from = blockCursor(start.number, start.hash);
  const place = (): string => subscription.cursor ?? from;
  const tell = (): void => end({ results, place: place() });
  const subscription: ChainSubscription = new ChainSubscription(
    { id: "", beginning: "", topic, start },
    {
      identity,
      network,
      get isFull() {
        return isFull();
      },
      send: (pieces) => void results.push(...pieces),
      close: () => end(LOST),
    },
    {
      ...parts,
      mostTries: MOST_TRIES,
      rests: () => {
        if (isFull() || story.isCurrent) tell();
      },
    },
  );
  const timer = timers.set(Math.max(untilMs - clock.monotonic(), 0), () => {
    if (place() !== from) tell();
    else end(UNTOLD);
  });
  subscription.begin();
}

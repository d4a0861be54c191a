import { expect, test } from "vitest";
import type { Identity } from "../../access/identity.ts";
import type { CreditRefusal, Reservation } from "../../credits/ledger.ts";
import { HEADS } from "../evm/topics.ts";
import { BlockStory } from "./block-story.ts";
import { ChainSubscription } from "./chain-subscription.ts";
import type { ChainSubscriptionParts } from "./subscription-parts.ts";
import type { Standpoint, ToldBlock } from "./told-block.ts";

const block = (name: string, parentHash: string): ToldBlock => ({
  ...{
    number: Number(name.slice(1)),
    hash: name,
    parentNumber: Number(name.slice(1)) - 1,
    parentHash,
  },
  ...{ bloom: "", cursor: name, told: name },
});
const [a1, a2, a3, a4] = [
  block("a1", "a0"),
  block("a2", "a1"),
  block("a3", "a2"),
  block("a4", "a3"),
] as const;
const [b2, b3, c3] = [block("b2", "a1"), block("b3", "b2"), block("c3", "a2")] as const;

/** What an exact node tells: all blocks at once. */
const find = ({ hash }: Standpoint, done: (block: ToldBlock | undefined) => void) => {
  done([a1, a2, a3, a4, b2, b3, c3].find((one) => one.hash === hash));
  return () => undefined;
};

test.each([
  { comesTo: "it again", head: a3, next: a4, expected: ["a4"] },
  { comesTo: "its parent, with another one above", head: c3, next: c3, expected: ["c3"] },
])(
  "no head is told twice where the chain leaves it for one that nobody was told, and comes back to $comesTo",
  ({ head, next, expected }) => {
    const told: unknown[] = [];
    let outcome: CreditRefusal | Reservation = { kind: "throughput" };
    let again = (): void => undefined;
    const meter = { admit: () => outcome, sent: () => undefined };
    const timers = {
      set: (_: number, run: () => void) => {
        again = run;
        return {};
      },
      clear: () => undefined,
    };
    let subscription: ChainSubscription | undefined;
    let changed = (): void => undefined;
    const chain = {
      head: a1,
      subscribe: (listener: () => void) => {
        changed = listener;
        return () => undefined;
      },
    };
    const story = new BlockStory({
      ...{ chain, find },
      timers: timers as never,
    });
    const comeTo = (newest: ToldBlock) => {
      chain.head = newest;
      changed();
    };
    story.follow(() => subscription?.advance());
    comeTo(a3);
    subscription = new ChainSubscription(
      { id: "1", beginning: "", topic: HEADS, start: a3 },
      {
        ...{ identity: {} as Identity, network: {} as never, isFull: false },
        send: ([text]) => void told.push(String(text).slice(-2)),
        close: () => undefined,
      },
      {
        ...{ story, meter, timers },
        ...{ began: () => undefined, ended: () => undefined },
      } as unknown as ChainSubscriptionParts,
    );
    subscription.begin();
    // There are no credits for it at the moment.
    comeTo(b3);
    expect(told).toEqual([]);
    comeTo(head);
    outcome = {} as Reservation;
    again();
    comeTo(next);
    expect(told).toEqual(expected);
  },
);

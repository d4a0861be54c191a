import { expect, test } from "vitest";
import type { Identity } from "../../access/identity.ts";
import type { CreditRefusal, Reservation } from "../../credits/ledger.ts";
import type { HeadListener } from "../../networks/evm/head-listeners.ts";
import type { NodeQuestions } from "../node-questions.ts";
import { BlockStory, type StoryChain } from "./block-story.ts";
import { ChainSubscription, type ChainSubscriptionParts } from "./chain-subscription.ts";
import type { ToldBlock } from "./told-block.ts";
import { HEADS } from "./topics.ts";

const block = (name: string, parentHash: string): ToldBlock => ({
  ...{ number: Number(name.slice(1)), hash: name, parentHash },
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
const nodes = {
  ask: ({ params }: { readonly params: string }, _: unknown, done: (one?: ToldBlock) => void) => {
    done([a1, a2, a3, a4, b2, b3, c3].find(({ hash }) => params.includes(`"${hash}"`)));
    return () => undefined;
  },
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
    let changed: HeadListener = () => undefined;
    const chain = {
      head: a1,
      subscribe: (listener: HeadListener) => {
        changed = listener;
        return () => undefined;
      },
    };
    const story = new BlockStory({
      ...{ chain: chain as unknown as StoryChain, nodes: nodes as unknown as NodeQuestions },
      timers: timers as never,
    });
    const comeTo = (newest: ToldBlock) => {
      chain.head = newest;
      changed(undefined as never);
    };
    story.follow(() => subscription?.advance());
    comeTo(a3);
    subscription = new ChainSubscription(
      { id: "0x1", topic: HEADS, start: a3 },
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

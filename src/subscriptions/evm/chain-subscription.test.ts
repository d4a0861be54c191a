import { expect, test } from "vitest";
import type { Identity } from "../../access/identity.ts";
import type { CreditRefusal, Reservation } from "../../credits/ledger.ts";
import type { BlockStory, NextStep, Standpoint } from "./block-story.ts";
import { ChainSubscription, type ChainSubscriptionParts } from "./chain-subscription.ts";
import type { ToldBlock } from "./told-block.ts";
import { HEADS } from "./topics.ts";

const block = (name: string, parentHash: string): ToldBlock => ({
  ...{ number: Number(name.slice(1)), hash: name, parentHash },
  ...{ bloom: "", cursor: name, told: name },
});
const [a1, a2, a3] = [block("a1", "a0"), block("a2", "a1"), block("a3", "a2")];
const b2 = block("b2", "a1");

/** A chain that is what `path` says. */
class Story {
  path: readonly ToldBlock[] = [a1, a2];

  get tip(): ToldBlock | undefined {
    return this.path.at(-1);
  }

  at(number: number): ToldBlock | undefined {
    return this.path.find((one) => one.number === number);
  }

  next({ number, hash }: Standpoint): NextStep {
    if (this.tip?.hash === hash) return "here";
    const next = this.at(number + 1);
    if (next?.parentHash === hash) return { kind: "joins", block: next };
    const own = [a1, a2, a3, b2].find((one) => one.hash === hash) as ToldBlock;
    return { kind: "leaves", block: own };
  }
}

test("a head is told once where the chain leaves it and comes back before another one was told", () => {
  const story = new Story();
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
  const subscription = new ChainSubscription(
    { id: "0x1", topic: HEADS, start: a2 },
    {
      ...{ identity: {} as Identity, network: {} as never, isFull: false },
      send: ([text]) => void told.push(String(text).slice(-2)),
      close: () => undefined,
    },
    {
      ...{ story: story as unknown as BlockStory, meter, timers },
      ...{ began: () => undefined, ended: () => undefined },
    } as unknown as ChainSubscriptionParts,
  );
  subscription.begin();
  story.path = [a1, b2];
  // There are no credits for it at the moment.
  subscription.advance();
  story.path = [a1, a2];
  outcome = {} as Reservation;
  again();
  expect(told).toEqual([]);
  story.path = [a1, a2, a3];
  subscription.advance();
  expect(told).toEqual(["a3"]);
});

import type { Timers } from "../../lib/timer-wheel.ts";
import type { ChainSubscriptionParts } from "../chain/subscription-parts.ts";
import type { ToldBlock } from "../chain/told-block.ts";
import type { Telling, Topic } from "../chain/topic.ts";
import type { NodeQuestions } from "../node-questions.ts";
import { readObject } from "./find-slot-block.ts";

/** A node that is behind the slot cannot tell. */
const AGAIN_MS = 500;
const MOST_TRIES = 6;

/** A transaction that is in a block already. `err`: JSON text. */
export type FoundTransaction = { readonly slot: number; readonly err: string };

export type SignatureQuestion = {
  readonly signature: string;
  /** Blocks up to this slot are asked about; those above come by themselves. */
  readonly upTo: number;
};

/**
 * Whether a transaction is in one of the last blocks up to a slot: nodes know of some 150. `done` is called once,
 * at once or later; undefined where it is in none, or no node tells.
 */
export function askSignature(
  { nodes, timers }: { readonly nodes: NodeQuestions; readonly timers: Timers },
  { signature, upTo }: SignatureQuestion,
  done: (found: FoundTransaction | undefined) => void,
): void {
  let tries = 0;
  const ask = (): void => {
    tries += 1;
    nodes.ask(
      { method: "getSignatureStatuses", params: `[["${signature}"]]`, block: upTo },
      (json) => readStatus(json, upTo),
      (status) => {
        if (status === undefined && tries < MOST_TRIES) timers.set(AGAIN_MS, ask);
        else done(status?.found);
      },
    );
  };
  ask();
}

type Status = { readonly found: FoundTransaction | undefined };

/** Undefined for what no node says that has the slot. */
function readStatus(json: string, upTo: number): Status | undefined {
  const { context, value } = readObject(json) ?? {};
  const at = (context as { readonly slot?: unknown } | undefined)?.slot;
  if (typeof at !== "number" || at < upTo || !Array.isArray(value)) return undefined;
  const [status] = value as readonly ({
    readonly slot?: unknown;
    readonly err?: unknown;
    readonly confirmationStatus?: unknown;
  } | null)[];
  const slot = status?.slot;
  const isIn = typeof slot === "number" && slot <= upTo;
  if (!isIn || status?.confirmationStatus === "processed") return { found: undefined };
  return { found: { slot, err: JSON.stringify(status?.err ?? null) } };
}

const NO_BLOCK: ToldBlock = Object.freeze({
  ...{ number: 0, hash: "", parentNumber: 0, parentHash: "", bloom: "", cursor: "", told: "" },
});

/** What a subscription needs that tells this one thing, whatever the chain does, once it may. */
export function once(
  telling: Telling,
  mayTell: () => boolean,
): { readonly topic: Topic } & Pick<ChainSubscriptionParts, "story"> {
  return {
    topic: { tell: () => telling },
    story: {
      tip: undefined,
      next: () => (mayTell() ? { kind: "joins", block: NO_BLOCK } : "here"),
      has: () => false,
      upTo: (_top, least) => least,
    },
  };
}

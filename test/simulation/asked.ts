import type { Call } from "../../src/gateway/call.ts";
import type { Question } from "./questions.ts";
import type { SimulatedNode } from "./simulated-node.ts";

/** How long the gateway may take to find out what a node's new head means. */
export const LEARNING_MS = 3000;
/** What a node's faults leave behind in what is known of it; issue 5, "Done when" 1. */
export const RECOVERY_MS = 10_000;

/** One call of a client, from its begin to its end. */
export type Asked = {
  readonly question: Question;
  readonly plan: "free" | "growth";
  readonly minBlock: number | undefined;
  readonly askedMs: number;
  /** When nodes were asked first whose answer this may be: calls share them. */
  readonly beganMs: number;
  /** The same, but not before the last reorganisation that was told when it began. */
  readonly computedMs: number;
  endedMs: number;
  /** The primaries which nothing spoke against when it began. */
  readonly good: readonly Candidate[];
  /** Primaries that are not among them. */
  readonly others: number;
};

export type Candidate = { readonly node: SimulatedNode; readonly head: number };

/** The number of what a call asked for; undefined for `pending`, and for a tag that nodes lack. */
export function numberOf(reference: string, { plan }: Call): number | undefined {
  if (reference.startsWith("0x")) return Number(reference);
  if (reference === "earliest") return 0;
  return reference === "pending" ? undefined : plan?.tagged;
}

export const hashIn = (text: string): string => /0xb10c[0-9a-f]{60}/.exec(text)?.[0] ?? text;

/** Its chain changed a moment ago, or is wrong. */
export function isUpset(node: SimulatedNode, { beganMs }: Asked): boolean {
  return (
    node.chainFault !== undefined || Math.max(node.faultMs, node.lostMs) >= beganMs - RECOVERY_MS
  );
}

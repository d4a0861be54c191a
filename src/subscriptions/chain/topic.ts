import type { PricedEvent } from "../event-meter.ts";
import type { Standpoint, Step, ToldBlock } from "./told-block.ts";

/** The notifications of a block that its client was told: those up to this log, or those after it. */
export type Partly = { readonly upTo: number } | { readonly after: number };

/** The block where a subscription stands, of whose logs some are to come. */
export type PartlyTold = { readonly block: ToldBlock; readonly told: Partly };

/** Where a subscription begins. */
export type Start = Standpoint & { readonly partly?: PartlyTold | undefined };

/** What a step is to one subscription. */
export type Telling = {
  readonly event: PricedEvent;
  /** What each notification says, from its result on. */
  readonly all: readonly string[];
  /** Nothing comes after it. */
  readonly isLast?: boolean;
};

/** More of a block than its header, asked for once for all who want it. */
export type Details = {
  /** Nodes were asked for those of this block, and are no more, and none told them. */
  isGivenUp(block: ToldBlock): boolean;
  /** Has nodes asked for them until they are known, or that took too long. */
  fetch(step: Pick<Step, "block" | "kind">): void;
};

/** A subscription's kind: what it tells of a step, without asking anybody. */
export type Topic = {
  /** Undefined: nothing. `wanted`: the block's details are needed first. */
  tell(step: Step, partly: Partly | undefined): Telling | undefined | "wanted";
  readonly details?: Details;
};

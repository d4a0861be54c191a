import type { Timers } from "../../lib/timer-wheel.ts";
import type { EventMeter } from "../event-meter.ts";
import type { Subscription } from "../subscription.ts";
import type { BlockStory } from "./block-story.ts";
import type { Standpoint } from "./told-block.ts";
import type { Start, Topic } from "./topic.ts";

/** As far as somebody who was away is told what came meanwhile. */
export const MOST_BEHIND = 1000;

/** `known`: the story knows one block more of those that are needed. `gone`: no node that answered has it. */
export type Recovered = "known" | "gone";

export type Recovery = {
  /** Looks for the next block that is needed by who stands there. `done` is called once. Returns what gives it up. */
  next(at: Standpoint, done: (recovered: Recovered) => void): () => void;
  /** No node told of it, however often it was asked for. */
  lose(at: Standpoint): void;
};

export type ChainSubscriptionOptions = {
  /** JSON text; empty where results alone are sent, without the notifications around them. */
  readonly id: string;
  /** A notification up to its result. */
  readonly beginning: string;
  readonly topic: Topic;
  /** It ends by itself. */
  readonly over?: (() => void) | undefined;
  readonly start?: Start | undefined;
};

export type ChainSubscriptionParts = {
  readonly story: Pick<BlockStory, "tip" | "next" | "has" | "upTo">;
  readonly recovery: Recovery;
  /** How its client names where it stands. */
  readonly cursorOf: (at: Standpoint) => string;
  readonly meter: EventMeter;
  readonly timers: Timers;
  /** It is told of every change of the story, until it ends. */
  readonly began: (subscription: Subscription) => void;
  readonly ended: (subscription: Subscription) => void;
  /** There is nothing more to tell now, or its client is full. */
  readonly rests?: () => void;
  /** So often a block that no node knows any more is asked for: some may have failed. */
  readonly mostTries?: number;
};

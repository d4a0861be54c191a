import type { RpcError } from "../../jsonrpc/errors.ts";
import type { JsonValue } from "../../jsonrpc/value.ts";
import type { Clock, MonotonicMs } from "../../lib/clock.ts";
import type { Timers } from "../../lib/timer-wheel.ts";
import { blockCursor, type Cursor, notification, readCursor } from "../../methods/cursor.ts";
import { readResume } from "../../methods/params/resume.ts";
import type { ChainWatch } from "../../networks/evm/chain-watch.ts";
import { NO_HEAD } from "../../networks/network.ts";
import type { Upstream } from "../../upstreams/upstream.ts";
import type { LargeBuffers } from "../../wire/bytes/large-buffers.ts";
import { BlockStory } from "../chain/block-story.ts";
import { ChainRecovery } from "../chain/chain-recovery.ts";
import { ChainSubscription } from "../chain/chain-subscription.ts";
import { Followers } from "../chain/followers.ts";
import { type ChainSubscriptionParts, MOST_BEHIND } from "../chain/subscription-parts.ts";
import type { ToldBlock } from "../chain/told-block.ts";
import type { Start, Topic } from "../chain/topic.ts";
import type { EventMeter } from "../event-meter.ts";
import { LogMatcher } from "../log-matcher.ts";
import { NodeQuestions } from "../node-questions.ts";
import { Replaceable } from "../replaceable.ts";
import type {
  Asker,
  FilterCriteria,
  FilterFeed,
  News,
  PollRequest,
  SubscribeRequest,
  Subscriber,
  Subscription,
} from "../subscription.ts";
import { pollChain } from "./chain-poll.ts";
import { findBlock } from "./find-block.ts";
import { type LogSource, logSource } from "./log-source.ts";
import { PendingFeed } from "./pending-feed.ts";
import { HASHES, HEADS, LogTopic, NOTHING } from "./topics.ts";

/** A block that a client has seen elsewhere may not be known here yet. */
const UNKNOWN_MS = 5000;
const LOOK_MS = 250;
/** A block that nobody knows any more was replaced; blocks so far below it were not. */
const FINAL_BLOCKS = 128;

/** Of kinds without a filter. A gateway is never syncing, and never tells that it is. */
const TOPICS: ReadonlyMap<JsonValue | undefined, Topic> = new Map([["newHeads", HEADS]]);

type Chain = Pick<
  ChainWatch,
  "shown" | "subscribe" | "touch" | "whenHead" | "newestHashed" | "hashOf"
>;

/** The part of a network that tells of blocks. */
export type ChainSource = { readonly chain: Chain; readonly upstreams: readonly Upstream[] };

export type ChainFeedParts = ChainSource & {
  readonly clock: Pick<Clock, "monotonic" | "now">;
  readonly timers: Timers;
  readonly meter: EventMeter;
  /** JSON text that no other subscription of this gateway has. */
  readonly newId: () => string;
  /** Runs it in a later turn of the event loop. */
  readonly later: (run: () => void) => void;
  readonly buffers: LargeBuffers;
};

/** What an EVM network tells its subscribers. */
export class ChainFeed implements FilterFeed {
  readonly #parts: Omit<ChainFeedParts, keyof ChainSource>;
  readonly #chain: Replaceable<Chain>;
  /** Those of the network as it is now: its contents are replaced. */
  readonly #upstreams: Upstream[];
  readonly #story: BlockStory;
  readonly #logs: LogSource;
  readonly #recovery: ChainRecovery;
  readonly #pending: PendingFeed;
  /** Of all subscriptions: some 10,000 may be open. */
  readonly #ofHeads: ChainSubscriptionParts;
  readonly #ofLogs: ChainSubscriptionParts;
  readonly #followers: Followers;
  readonly #logFollowers: Followers;

  constructor(parts: ChainFeedParts) {
    const upstreams = [...parts.upstreams];
    const chain = new Replaceable<Chain>(parts.chain, (one, changed) => one.subscribe(changed));
    this.#parts = parts;
    this.#chain = chain;
    this.#upstreams = upstreams;
    const nodes = new NodeQuestions({ ...parts, upstreams });
    const find = findBlock(nodes);
    this.#story = new BlockStory({
      ...parts,
      find: (at, done) => {
        const giveUp = find(at, done);
        this.#logs.expect(at);
        return giveUp;
      },
      chain: {
        get head() {
          return chain.now.shown.head;
        },
        subscribe: (changed) => chain.follow(changed),
      },
    });
    const inUse = () => chain.now.touch(false);
    const follow = (changed: () => void) => this.#story.follow(changed);
    this.#followers = new Followers({ ...parts, inUse, follow });
    this.#logFollowers = new Followers({
      ...parts,
      inUse,
      follow: (changed) => this.#followLogs(changed),
    });
    this.#logs = logSource({ ...parts, nodes, told: () => this.#logFollowers.pass() });
    this.#recovery = new ChainRecovery(find, this.#story);
    this.#pending = new PendingFeed({ ...parts, upstreams, nodes });
    this.#ofHeads = this.#subscriptionParts(this.#followers);
    this.#ofLogs = this.#subscriptionParts(this.#logFollowers);
  }

  /** The network was built anew, by other settings: subscriptions go on, each from what it was told last. */
  moveTo({ chain, upstreams }: ChainSource): void {
    this.#upstreams.splice(0, this.#upstreams.length, ...upstreams);
    this.#pending.listen();
    this.#chain.replace(chain);
  }

  /** Nobody finds that of another. */
  newId(): string {
    return this.#parts.newId();
  }

  /** Those that have begun. */
  get size(): number {
    return this.#followers.size + this.#logFollowers.size;
  }

  open(
    { id, args: [kind, ...args] }: SubscribeRequest,
    subscriber: Subscriber,
    done: (opened: Subscription | RpcError) => void,
  ): void {
    if (kind === "newPendingTransactions") {
      const { isAvailable } = this.#pending;
      if (isAvailable) done(this.#pending.open(id, args[0] === true, subscriber));
      else done({ name: "not_on_this_network" });
      return;
    }
    const isLogs = kind === "logs";
    const topic = isLogs ? this.#logTopic(args[0]) : (TOPICS.get(kind) ?? NOTHING);
    const opened = (start: Start | undefined) => {
      const options = { id, beginning: notification(id), topic, start };
      const shared = isLogs ? this.#ofLogs : this.#ofHeads;
      done(new ChainSubscription(options, subscriber, shared));
    };
    const from = args[isLogs ? 1 : 0];
    if (from === undefined || from === null) {
      this.#whenHead((isKnown) => (isKnown ? opened(this.#present) : done(NO_HEAD)));
      return;
    }
    this.#start({ cursor: readResume(from), isOfLogs: isLogs }, (start) => {
      if ("name" in start) done(start);
      else opened(isLogs ? start : { number: start.number, hash: start.hash });
    });
  }

  begin(kind: FilterCriteria["kind"], done: (place: string | RpcError) => void): void {
    if (kind === "pending") {
      done(this.#pending.isAvailable ? this.#pending.place : { name: "not_on_this_network" });
      return;
    }
    this.#whenHead(() => {
      const start = this.#present;
      if (start === undefined) return done(NO_HEAD);
      this.#followers.use();
      done(blockCursor(start.number, start.hash));
    });
  }

  poll(
    { criteria, place, untilMs }: PollRequest,
    asker: Asker,
    done: (news: News | RpcError) => void,
  ): void {
    if (criteria.kind === "pending") {
      done(this.#pending.since(place));
      return;
    }
    const { number, hash } = readCursor(place) ?? {};
    if (number === undefined || hash === undefined) throw new Error(`${place} is no place`);
    const { clock } = this.#parts;
    const isLogs = criteria.kind !== "blocks";
    const topic = isLogs
      ? new LogTopic(new LogMatcher(criteria.filter, true), this.#logs, true)
      : HASHES;
    const shared = isLogs ? this.#ofLogs : this.#ofHeads;
    const parts = { ...shared, story: this.#story, clock };
    pollChain({ topic, start: { number, hash }, untilMs }, asker, { parts, done });
  }

  /** A gateway that has just started knows of no block. */
  #whenHead(done: (isKnown: boolean) => void): void {
    const { now: chain } = this.#chain;
    if (chain.shown.head !== undefined) done(true);
    else chain.whenHead({ least: 0, timeoutMs: UNKNOWN_MS, partner: false }, done);
  }

  /** What comes after this moment is told, whenever the block that is the head now is known as a whole. */
  get #present(): Start | undefined {
    const { shown, newestHashed: number } = this.#chain.now;
    const { head } = shown;
    if (head?.hash !== undefined) return { number: head.number, hash: head.hash };
    const hash = this.#chain.now.hashOf(number);
    return hash === undefined ? this.#story.tip : { number, hash };
  }

  #logTopic(filter: JsonValue | undefined): Topic {
    return new LogTopic(new LogMatcher(filter instanceof Map ? filter : new Map()), this.#logs);
  }

  #subscriptionParts(followers: Followers): ChainSubscriptionParts {
    return {
      story: this.#story,
      recovery: this.#recovery,
      cursorOf: ({ number, hash }) => blockCursor(number, hash),
      meter: this.#parts.meter,
      timers: this.#parts.timers,
      began: (one) => followers.add(one),
      ended: (one) => followers.remove(one),
    };
  }

  #followLogs(changed: () => void): () => void {
    const stop = this.#story.follow(() => {
      // An answer that is on its way tells them, in place of two looks at each of them.
      if (!this.#logs.isAsked(this.#story.tip)) changed();
    });
    return () => {
      stop();
      this.#logs.stop();
    };
  }

  /** Where somebody who was told up to there goes on. `done` is called once. */
  #start(
    { cursor, isOfLogs }: { readonly cursor: Cursor; readonly isOfLogs: boolean },
    done: (start: Start | RpcError) => void,
  ): void {
    const untilMs = this.#parts.clock.monotonic() + UNKNOWN_MS;
    this.#find(cursor, untilMs, (block) => {
      const number = block?.number ?? cursor.number;
      const head = this.#chain.now.shown.head?.number ?? number ?? 0;
      if (block === undefined) {
        const from = number ?? head;
        done(tooFarBack("that block is not known any more", from - FINAL_BLOCKS));
      } else if (head - block.number > MOST_BEHIND) {
        done(tooFarBack(`that block is more than ${MOST_BEHIND} blocks back`, block.number));
      } else {
        this.#whetherLost(block, isOfLogs, (isLost) => {
          const why = "that block was replaced, and what it followed is not known any more";
          if (isLost) done(tooFarBack(why, block.number - FINAL_BLOCKS));
          else done({ number: block.number, hash: block.hash, partly: partlyTold(cursor, block) });
        });
      }
    });
  }

  /** Somebody was given up before on the same dead branch, and what was missing then is missing still. */
  #whetherLost(block: ToldBlock, isOfLogs: boolean, done: (isLost: boolean) => void): void {
    const { blocks } = this.#story.branch(block);
    if (isOfLogs && blocks.some((one) => this.#logs.isLost(one))) done(true);
    else this.#recovery.isLost(block, done);
  }

  #find(cursor: Cursor, untilMs: MonotonicMs, done: (block: ToldBlock | undefined) => void): void {
    const { number = -1, hash } = cursor;
    this.#recovery.find({ number, hash }, (block) => {
      const isOver = this.#parts.clock.monotonic() >= untilMs;
      if (block !== undefined || isOver) done(block);
      else this.#parts.timers.set(LOOK_MS, () => this.#find(cursor, untilMs, done));
    });
  }
}

function partlyTold({ logIndex, isRemoving }: Cursor, block: ToldBlock): Start["partly"] {
  if (logIndex === undefined) return undefined;
  return { block, told: isRemoving ? { after: logIndex } : { upTo: logIndex } };
}

const tooFarBack = (why: string, from: number): RpcError => ({
  name: "cannot_resume",
  message: `cannot resume: ${why}; subscribe anew, and ask eth_getLogs from block ${Math.max(0, from)} on`,
});

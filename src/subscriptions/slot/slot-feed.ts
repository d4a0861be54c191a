import type { RpcError } from "../../jsonrpc/errors.ts";
import type { JsonValue } from "../../jsonrpc/value.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Timers } from "../../lib/timer-wheel.ts";
import { notification } from "../../methods/cursor.ts";
import { NO_HEAD } from "../../networks/network.ts";
import type { Commitment } from "../../networks/slot/slot-heads.ts";
import type { SlotWatch } from "../../networks/slot/slot-watch.ts";
import type { Upstream } from "../../upstreams/upstream.ts";
import { BlockDetails, type BlockDetailsParts } from "../chain/block-details.ts";
import { BlockStory, type FindBlock } from "../chain/block-story.ts";
import { ChainRecovery } from "../chain/chain-recovery.ts";
import { ChainSubscription } from "../chain/chain-subscription.ts";
import { Followers } from "../chain/followers.ts";
import type {
  ChainSubscriptionOptions,
  ChainSubscriptionParts,
} from "../chain/subscription-parts.ts";
import type { Standpoint, ToldBlock } from "../chain/told-block.ts";
import type { Topic } from "../chain/topic.ts";
import type { EventMeter } from "../event-meter.ts";
import { NodeQuestions } from "../node-questions.ts";
import { Replaceable } from "../replaceable.ts";
import type { NetworkFeed, SubscribeRequest, Subscriber, Subscription } from "../subscription.ts";
import { AccountFeed } from "./account-feed.ts";
import { finalizedPart } from "./finalized-part.ts";
import { findSlotBlock } from "./find-slot-block.ts";
import { type PushedOptions, PushedSubscription } from "./pushed-subscription.ts";
import { askSignature, type FoundTransaction, once } from "./signature-status.ts";
import { type BlockText, blockConfigOf, blockTextOf, SlotBlockTopic } from "./slot-block-topic.ts";
import { SlotHead } from "./slot-head.ts";
import {
  eventOf,
  ROOTS,
  SignatureTopic,
  SLOTS,
  SlotLogTopic,
  signatureTold,
  type TransactionFilter,
} from "./slot-topics.ts";
import { type SlotTransactions, transactionsOf } from "./slot-transactions.ts";

/** What is known at once comes so long after the answer. */
const AFTER_ANSWER_MS = 100;
/** A gateway that has just started knows of no slot. */
const UNKNOWN_MS = 5000;

type Chain = Pick<SlotWatch, "shownSlots" | "follow" | "touch" | "whenHead">;

/** The part of a network that tells of slots. */
export type SlotSource = { readonly chain: Chain; readonly upstreams: readonly Upstream[] };

export type SlotFeedParts = SlotSource & {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly meter: EventMeter;
  /** Runs it in a later turn of the event loop. */
  readonly later: (run: () => void) => void;
};

type Seen = Exclude<Commitment, "processed">;

type Kind = {
  readonly topic: Topic;
  readonly seen: Seen;
  /** Of a transaction that may be in a block already. */
  readonly signature?: string;
};

/** What a slot network tells its subscribers. */
export class SlotFeed implements NetworkFeed {
  readonly #parts: Omit<SlotFeedParts, "chain">;
  readonly #chain: Replaceable<Chain>;
  /** Those of the network as it is now: its contents are replaced. */
  readonly #upstreams: Upstream[];
  readonly #nodes: NodeQuestions;
  readonly #accounts: AccountFeed;
  readonly #find: FindBlock;
  readonly #story: BlockStory;
  readonly #followers: Followers;
  readonly #recovery: ChainRecovery;
  readonly #shared: Readonly<Record<Seen, ChainSubscriptionParts>>;
  readonly #logs: BlockDetails<SlotTransactions>;
  readonly #signatures: BlockDetails<SlotTransactions>;
  /** Blocks that subscribers are told of as a whole, by their form: there are 32. */
  readonly #texts = new Map<string, BlockDetails<BlockText>>();
  /** Who waits for the block of a slot to begin there. */
  readonly #looked = new Map<number, ((block: ToldBlock | undefined) => void)[]>();
  #lastId = 0;

  constructor(options: SlotFeedParts) {
    const chain = new Replaceable<Chain>(options.chain, (one, changed) => one.follow(changed));
    const upstreams = [...options.upstreams];
    const parts = { ...options, upstreams };
    this.#parts = parts;
    this.#chain = chain;
    this.#upstreams = upstreams;
    const { timers } = parts;
    const nodes = new NodeQuestions(parts);
    this.#nodes = nodes;
    this.#accounts = new AccountFeed({ ...parts, nodes });
    this.#find = findSlotBlock({ nodes, root: () => chain.now.shownSlots.finalized });
    const head = new SlotHead({
      ...{ chain, timers, find: this.#find },
      learn: (block) => this.#story.learn(block),
    });
    this.#story = new BlockStory({ chain: head, find: this.#find, timers });
    this.#recovery = new ChainRecovery(this.#find, this.#story);
    this.#followers = new Followers({
      ...parts,
      follow: (changed) => this.#follow(changed),
      inUse: () => chain.now.touch(false),
    });
    this.#logs = new BlockDetails(transactionsOf("full"), this.#detailParts);
    this.#signatures = new BlockDetails(transactionsOf("accounts"), this.#detailParts);
    this.#shared = this.#subscriptionParts();
  }

  /** The network was built anew, by other settings: subscriptions go on, each from what it was told last. */
  moveTo({ chain, upstreams }: SlotSource): void {
    this.#upstreams.splice(0, this.#upstreams.length, ...upstreams);
    this.#accounts.moveOn();
    this.#chain.replace(chain);
  }

  newId(): string {
    this.#lastId += 1;
    return String(this.#lastId);
  }

  open(
    { id, method, args, over }: SubscribeRequest,
    subscriber: Subscriber,
    done: (opened: Subscription | RpcError) => void,
  ): void {
    const name = method.replace("Subscribe", "Notification");
    const beginning = notification(id, name);
    const kind = this.#kindOf(method, args);
    if (kind === undefined) {
      const event = eventOf(name);
      done(this.#ofAccounts({ id, beginning, event }, { method, args }, subscriber));
      return;
    }
    const { topic, seen, signature } = kind;
    const parts = this.#shared[seen];
    this.#whenStart(seen, (start) => {
      if ("name" in start) {
        done(start);
        return;
      }
      const options = { id, beginning, over, start };
      if (signature === undefined) {
        done(new ChainSubscription({ ...options, topic }, subscriber, parts));
        return;
      }
      askSignature(
        { ...this.#parts, nodes: this.#nodes },
        { signature, upTo: start.number },
        (found) => {
          if (found === undefined)
            done(new ChainSubscription({ ...options, topic }, subscriber, parts));
          else done(this.#foundAlready(found, options, subscriber));
        },
      );
    });
  }

  /** web3.js knows nothing of its subscription yet where what it is told comes together with the answer. */
  #foundAlready(
    { slot, err }: FoundTransaction,
    options: Omit<ChainSubscriptionOptions, "topic">,
    subscriber: Subscriber,
  ): Subscription {
    let mayTell = false;
    const { topic, story } = once(signatureTold(slot, err), () => mayTell);
    const parts = { ...this.#shared.confirmed, story };
    const subscription = new ChainSubscription({ ...options, topic }, subscriber, parts);
    this.#parts.timers.set(AFTER_ANSWER_MS, () => {
      mayTell = true;
      subscription.advance();
    });
    return subscription;
  }

  /** Changes of accounts, which a node has to tell of. */
  #ofAccounts(
    options: PushedOptions,
    { method, args }: Pick<SubscribeRequest, "method" | "args">,
    subscriber: Subscriber,
  ): Subscription | RpcError {
    if (!this.#accounts.isAvailable) return { name: "not_on_this_network" };
    let stop = (): void => undefined;
    return new PushedSubscription(options, subscriber, {
      ...this.#parts,
      began: (one) => {
        stop = this.#accounts.follow(method, args, one);
      },
      ended: () => stop(),
    });
  }

  /** Undefined for one that is made of no blocks. */
  #kindOf(method: string, [first, config]: readonly JsonValue[]): Kind | undefined {
    const asked = config instanceof Map ? config.get("commitment") : undefined;
    const seen = asked === "confirmed" ? "confirmed" : "finalized";
    switch (method) {
      case "slotSubscribe":
        return { topic: SLOTS, seen: "confirmed" };
      case "rootSubscribe":
        return { topic: ROOTS, seen: "finalized" };
      case "logsSubscribe":
        return { topic: new SlotLogTopic(transactionFilter(first), this.#logs), seen };
      case "signatureSubscribe": {
        const signature = String(first);
        return { topic: new SignatureTopic(signature, this.#signatures), seen, signature };
      }
      case "blockSubscribe":
        return { topic: this.#blockTopic(first, config), seen };
    }
    return undefined;
  }

  #blockTopic(filter: JsonValue | undefined, given: JsonValue | undefined): Topic {
    const { config, form } = blockConfigOf(given);
    const name = JSON.stringify(form);
    const texts = this.#texts.get(name) ?? new BlockDetails(blockTextOf(form), this.#detailParts);
    this.#texts.set(name, texts);
    const mentions = filter instanceof Map ? filter.get("mentionsAccountOrProgram") : undefined;
    const options = { config, mentions: mentions === undefined ? undefined : String(mentions) };
    return new SlotBlockTopic(options, { texts, transactions: this.#signatures });
  }

  get #detailParts(): BlockDetailsParts {
    return { ...this.#parts, nodes: this.#nodes, told: () => this.#followers.pass() };
  }

  #subscriptionParts(): Record<Seen, ChainSubscriptionParts> {
    const { meter, timers } = this.#parts;
    const confirmed: ChainSubscriptionParts = {
      ...{ story: this.#story, recovery: this.#recovery, meter, timers },
      cursorOf: ({ number }) => String(number),
      began: (one) => this.#followers.add(one),
      ended: (one) => this.#followers.remove(one),
    };
    const story = finalizedPart(this.#story, () => this.#chain.now.shownSlots.finalized);
    return { confirmed, finalized: { ...confirmed, story } };
  }

  #follow(changed: () => void): () => void {
    const stopStory = this.#story.follow(changed);
    // The finalized slot moves by itself.
    const stopSlots = this.#chain.follow(changed);
    return () => {
      stopStory();
      stopSlots();
      for (const details of [this.#logs, this.#signatures, ...this.#texts.values()]) details.stop();
      this.#texts.clear();
    };
  }

  /** Where a client begins to be told: what comes after this moment is. `done` is called once. */
  #whenStart(seen: Seen, done: (start: Standpoint | RpcError) => void): void {
    const { now: chain } = this.#chain;
    this.#followers.use();
    const begin = (): void => {
      const slot = chain.shownSlots[seen];
      if (slot < 0) done(NO_HEAD);
      else this.#whenBlock(slot, (block) => done(block ?? NO_HEAD));
    };
    if (chain.shownSlots[seen] >= 0) begin();
    else chain.whenHead({ least: 0, timeoutMs: UNKNOWN_MS, partner: false }, begin);
  }

  /** Asked for once for all who begin there. */
  #whenBlock(slot: number, done: (block: ToldBlock | undefined) => void): void {
    const known = this.#story.newest(slot);
    if (known?.number === slot) {
      done(known);
      return;
    }
    const others = this.#looked.get(slot);
    if (others !== undefined) {
      others.push(done);
      return;
    }
    const all = [done];
    this.#looked.set(slot, all);
    this.#find({ number: slot, hash: "" }, (block) => {
      this.#looked.delete(slot);
      if (block !== undefined) this.#story.learn(block);
      for (const each of all) each(block);
    });
  }
}

function transactionFilter(given: JsonValue | undefined): TransactionFilter {
  if (!(given instanceof Map)) return given === "all" ? "all" : "allWithVotes";
  const [mentions] = given.get("mentions") as readonly string[];
  return { mentions: String(mentions) };
}

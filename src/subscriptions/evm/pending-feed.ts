import { LRUCache } from "lru-cache";
import type { CreditRefusal, Reservation } from "../../credits/ledger.ts";
import type { Clock, MonotonicMs } from "../../lib/clock.ts";
import { notification } from "../../methods/cursor.ts";
import { FILTER_MS } from "../../storage/filter-store.ts";
import type { Upstream } from "../../upstreams/upstream.ts";
import { closeIfSpent, type EventMeter, type PricedEvent } from "../event-meter.ts";
import type { NodeQuestions } from "../node-questions.ts";
import type { News, Subscriber, Subscription } from "../subscription.ts";

/** Of a second in which something is told. */
const SECOND: PricedEvent = Object.freeze({
  method: "eth_subscription.newPendingTransactions",
  credits: 200,
});
const SECOND_MS = 1000;
/** Several nodes tell of the same one within a while. */
const KNOWN_HASHES = 20_000;
/** What comes while credits are waited for; what comes beyond is left out. */
const MOST_WAITING = 1000;

/** Filters are none any more when they were not asked for so long. */
const WANTED_MS = FILTER_MS;
/** So that no two are told of at one moment. Unix milliseconds have some three digits to spare. */
const STAMP_STEP = 1 / 256;

/** `stamp`: Unix milliseconds, each later than the one before, so that a place holds at any gateway. */
type Stamped = { readonly stamp: number; readonly hash: string };

export type PendingFeedParts = {
  readonly upstreams: readonly Pick<Upstream, "heads">[];
  readonly nodes: NodeQuestions;
  readonly clock: Pick<Clock, "monotonic" | "now">;
  readonly meter: EventMeter;
};

/** Transactions that wait to be mined, as nodes tell of them: each once, and none for sure. */
export class PendingFeed {
  readonly #parts: PendingFeedParts;
  readonly #known = new LRUCache<string, true>({ max: KNOWN_HASHES });
  readonly #all = new Set<PendingSubscription>();
  /** Those told of lately, oldest first, while filters ask for them. */
  readonly #recent: Stamped[] = [];
  #lastStamp = 0;
  #wantedUntilMs: MonotonicMs = Number.NEGATIVE_INFINITY;

  constructor(parts: PendingFeedParts) {
    this.#parts = parts;
    this.listen();
  }

  /** Some node tells of them. */
  get isAvailable(): boolean {
    return this.#sources.length > 0;
  }

  /** To the upstreams as they are now. */
  listen(): void {
    for (const onPending of this.#sources) onPending((hash) => this.#told(hash));
  }

  get #sources() {
    return this.#parts.upstreams.flatMap(({ heads }) => heads?.onPending ?? []);
  }

  /** `isWhole`: with all of the transaction in place of its hash. */
  open(id: string, isWhole: boolean, subscriber: Subscriber): Subscription {
    const { clock, meter } = this.#parts;
    const subscription: PendingSubscription = new PendingSubscription(
      { id, isWhole, subscriber },
      {
        ...{ clock, meter },
        began: () => this.#all.add(subscription),
        ended: () => this.#all.delete(subscription),
      },
    );
    return subscription;
  }

  /** Where a filter begins that is made now. */
  get place(): string {
    const { clock } = this.#parts;
    this.#wantedUntilMs = clock.monotonic() + WANTED_MS;
    return String(Math.max(this.#lastStamp, clock.now()));
  }

  /** What came since then, as far as it is kept. */
  since(place: string): News {
    const from = Number(place);
    const results = this.#recent.filter(({ stamp }) => stamp > from).map(({ hash }) => `"${hash}"`);
    return { results, place: this.place };
  }

  #told(hash: string): void {
    const isWanted = this.#parts.clock.monotonic() < this.#wantedUntilMs;
    if (!isWanted) this.#recent.length = 0;
    if ((this.#all.size === 0 && !isWanted) || this.#known.has(hash)) return;
    this.#known.set(hash, true);
    if (isWanted) this.#keep(hash);
    this.#tell(`"${hash}"`, false);
    if (![...this.#all].some(({ isWhole }) => isWhole)) return;
    this.#parts.nodes.ask(
      { method: "eth_getTransactionByHash", params: `["${hash}"]`, block: -1 },
      (result) => (result.startsWith("{") ? result : undefined),
      (transaction) => {
        if (transaction !== undefined) this.#tell(transaction, true);
      },
    );
  }

  #keep(hash: string): void {
    this.#lastStamp = Math.max(this.#lastStamp + STAMP_STEP, this.#parts.clock.now());
    this.#recent.push({ stamp: this.#lastStamp, hash });
    if (this.#recent.length > KNOWN_HASHES) this.#recent.splice(0, KNOWN_HASHES / 2);
  }

  #tell(result: string, isWhole: boolean): void {
    for (const subscription of this.#all) {
      if (subscription.isWhole === isWhole) subscription.tell(result);
    }
  }
}

type PendingOptions = {
  readonly id: string;
  readonly isWhole: boolean;
  readonly subscriber: Subscriber;
};

type PendingParts = Pick<PendingFeedParts, "clock" | "meter"> & {
  readonly began: () => void;
  readonly ended: () => void;
};

class PendingSubscription implements Subscription {
  readonly id: string;
  readonly isWhole: boolean;
  /** Nothing is told a second time. */
  readonly lateCursor = undefined;
  readonly #subscriber: Subscriber;
  readonly #parts: PendingParts;
  readonly #beginning: string;
  #paidUntilMs: MonotonicMs = Number.NEGATIVE_INFINITY;
  /** Set while credits are waited for. */
  #waiting: string[] | undefined;
  #isOver = false;

  constructor({ id, isWhole, subscriber }: PendingOptions, parts: PendingParts) {
    this.id = id;
    this.isWhole = isWhole;
    this.#subscriber = subscriber;
    this.#parts = parts;
    this.#beginning = notification(id);
  }

  begin(): void {
    if (!this.#isOver) this.#parts.began();
  }

  advance(): void {}

  end(): void {
    this.#isOver = true;
    this.#parts.ended();
  }

  /** A client that does not read is not told. */
  tell(result: string): void {
    if (this.#subscriber.isFull) return;
    if (this.#waiting !== undefined) {
      if (this.#waiting.length < MOST_WAITING) this.#waiting.push(result);
    } else if (this.#parts.clock.monotonic() < this.#paidUntilMs) this.#send(result);
    else this.#pay(result);
  }

  #pay(result: string): void {
    const { meter, clock } = this.#parts;
    const { identity, network } = this.#subscriber;
    this.#waiting = [result];
    const admitted = (outcome: Reservation | CreditRefusal): void => {
      const waiting = this.#waiting ?? [];
      this.#waiting = undefined;
      if ("kind" in outcome) {
        closeIfSpent(this.#subscriber, outcome);
        return;
      }
      if (this.#isOver) {
        meter.drop(outcome);
        return;
      }
      this.#paidUntilMs = clock.monotonic() + SECOND_MS;
      let bytes = 0;
      for (const each of waiting) bytes += this.#send(each);
      meter.sent(outcome, SECOND, { identity, network, bytes });
    };
    const outcome = meter.admit(identity, SECOND, { admitted });
    if (outcome !== "waiting") admitted(outcome);
  }

  #send(result: string): number {
    const message = `${this.#beginning}${result}}}`;
    this.#subscriber.send([message]);
    return message.length;
  }
}

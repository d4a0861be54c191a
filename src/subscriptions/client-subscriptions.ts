import type { RpcError } from "../jsonrpc/errors.ts";
import type { JsonValue } from "../jsonrpc/value.ts";
import type { KeySubscriptions } from "./key-subscriptions.ts";
import type { NetworkFeed, Subscriber, Subscription } from "./subscription.ts";

export type ClientSubscriptionsParts = {
  readonly subscriber: Subscriber;
  readonly feed: NetworkFeed;
  readonly counts: KeySubscriptions;
};

/** The subscriptions of one WebSocket. */
export class ClientSubscriptions {
  readonly #parts: ClientSubscriptionsParts;
  readonly #open = new Map<string, Subscription>();
  /** Counted for the key from when they are asked for. */
  readonly #keyId: string;
  #isOver = false;

  constructor(parts: ClientSubscriptionsParts) {
    this.#parts = parts;
    this.#keyId = parts.subscriber.identity.keyId;
  }

  /** `done` is called once, at once or later: with one that the client does not know of yet, or an error. */
  subscribe(
    { method, args }: { readonly method: string; readonly args: readonly JsonValue[] },
    done: (outcome: Subscription | RpcError) => void,
  ): void {
    const { feed, counts, subscriber } = this.#parts;
    const most = counts.take(subscriber.identity);
    if (most !== undefined) {
      done({
        name: "invalid_params",
        message: `too many subscriptions: ${most} are open with this key, which is all that its plan has`,
      });
      return;
    }
    const id = feed.newId();
    const over = (): void => void this.unsubscribe(id);
    feed.open({ id, method, args, over }, subscriber, (outcome) => {
      if ("name" in outcome) counts.giveBack(this.#keyId);
      else this.#open.set(outcome.id, outcome);
      // The client has left while a block was looked for.
      if (this.#isOver) this.end();
      done(outcome);
    });
  }

  /** False where there is none of this id, JSON text. */
  unsubscribe(id: string): boolean {
    const subscription = this.#open.get(id);
    if (subscription === undefined) return false;
    this.#open.delete(id);
    this.#parts.counts.giveBack(this.#keyId);
    subscription.end();
    return true;
  }

  /** The client has read: it may be told more. */
  advance(): void {
    for (const subscription of this.#open.values()) subscription.advance();
  }

  /** Of the one that has told least; undefined where nothing is missing. */
  get lateCursor(): string | undefined {
    for (const { lateCursor } of this.#open.values()) {
      if (lateCursor !== undefined) return lateCursor;
    }
    return undefined;
  }

  end(): void {
    this.#isOver = true;
    for (const id of [...this.#open.keys()]) this.unsubscribe(id);
  }
}

import type { Identity } from "../access/identity.ts";
import { EvmNetwork } from "../networks/evm/evm-network.ts";
import type { Network } from "../networks/network.ts";
import type { NetworkChanges } from "../networks/served-networks.ts";
import { SlotNetwork } from "../networks/slot/slot-network.ts";
import { ClientSubscriptions } from "./client-subscriptions.ts";
import { ChainFeed, type ChainFeedParts } from "./evm/chain-feed.ts";
import { KeySubscriptions } from "./key-subscriptions.ts";
import { SlotFeed } from "./slot/slot-feed.ts";
import type { FilterFeed, Subscriber } from "./subscription.ts";

/** Bytes of an id: nobody finds that of another. */
const ID_BYTES = 16;

export type NetworkFeedsParts = Omit<ChainFeedParts, "chain" | "upstreams" | "newId"> & {
  readonly random: (bytes: number) => Buffer;
  readonly mostOf: (identity: Identity) => number;
};

/** What the networks of a gateway tell by themselves, and to whom. */
export class NetworkFeeds {
  readonly #parts: NetworkFeedsParts;
  readonly #ofChains = new Map<string, ChainFeed>();
  readonly #ofSlots = new Map<string, SlotFeed>();
  readonly #counts: KeySubscriptions;
  /** How many subscriptions one key may have open, and how many filters. */
  readonly mostOf: (identity: Identity) => number;

  constructor(networks: readonly Network[], parts: NetworkFeedsParts) {
    this.#parts = parts;
    for (const network of networks) this.#add(network);
    this.mostOf = parts.mostOf;
    this.#counts = new KeySubscriptions(parts.mostOf);
  }

  /** Subscriptions of networks that were built anew go on. */
  change({ added, replaced, removed }: NetworkChanges): void {
    for (const network of added) this.#add(network);
    for (const network of replaced) {
      if (network instanceof EvmNetwork) this.#ofChains.get(network.name)?.moveTo(network);
      else if (network instanceof SlotNetwork) this.#ofSlots.get(network.name)?.moveTo(network);
    }
    for (const { name } of removed) {
      this.#ofChains.delete(name);
      this.#ofSlots.delete(name);
    }
  }

  #add(network: Network): void {
    const { name, upstreams } = network;
    const newId = () => `"0x${this.#parts.random(ID_BYTES).toString("hex")}"`;
    if (network instanceof EvmNetwork) {
      const feed = new ChainFeed({ ...this.#parts, chain: network.chain, upstreams, newId });
      this.#ofChains.set(name, feed);
    } else if (network instanceof SlotNetwork) {
      const feed = new SlotFeed({ ...this.#parts, chain: network.chain, upstreams });
      this.#ofSlots.set(name, feed);
    }
  }

  /** Undefined for a network that has no filters. */
  ofFilters(network: string): FilterFeed | undefined {
    return this.#ofChains.get(network);
  }

  /** How many subscriptions are open with each key. */
  get openByKey(): ReadonlyMap<string, number> {
    return this.#counts.byKey;
  }

  /** For a client that has connected; undefined where its network tells nothing. */
  open(subscriber: Subscriber): ClientSubscriptions | undefined {
    const { name } = subscriber.network;
    const feed = this.#ofChains.get(name) ?? this.#ofSlots.get(name);
    if (feed === undefined) return undefined;
    return new ClientSubscriptions({ subscriber, feed, counts: this.#counts });
  }
}

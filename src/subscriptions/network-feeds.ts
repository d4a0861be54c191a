import type { Identity } from "../access/identity.ts";
import { EvmNetwork } from "../networks/evm/evm-network.ts";
import type { Network } from "../networks/network.ts";
import { SlotNetwork } from "../networks/slot/slot-network.ts";
import { ClientSubscriptions } from "./client-subscriptions.ts";
import { ChainFeed, type ChainFeedParts } from "./evm/chain-feed.ts";
import { KeySubscriptions } from "./key-subscriptions.ts";
import { SlotFeed } from "./slot/slot-feed.ts";
import type { FilterFeed, NetworkFeed, Subscriber } from "./subscription.ts";

/** Bytes of an id: nobody finds that of another. */
const ID_BYTES = 16;

export type NetworkFeedsParts = Omit<ChainFeedParts, "chain" | "upstreams" | "newId"> & {
  readonly random: (bytes: number) => Buffer;
  readonly mostOf: (identity: Identity) => number;
};

/** What the networks of a gateway tell by themselves, and to whom. */
export class NetworkFeeds {
  readonly #ofFilters: ReadonlyMap<string, FilterFeed>;
  readonly #ofSlots: ReadonlyMap<string, NetworkFeed>;
  readonly #counts: KeySubscriptions;
  /** How many subscriptions one key may have open, and how many filters. */
  readonly mostOf: (identity: Identity) => number;

  constructor(networks: readonly Network[], parts: NetworkFeedsParts) {
    const newId = () => `"0x${parts.random(ID_BYTES).toString("hex")}"`;
    this.#ofFilters = new Map(
      networks
        .filter((network) => network instanceof EvmNetwork)
        .map(({ name, chain, upstreams }) => [
          name,
          new ChainFeed({ ...parts, chain, upstreams, newId }),
        ]),
    );
    this.#ofSlots = new Map(
      networks
        .filter((network) => network instanceof SlotNetwork)
        .map(({ name, chain, upstreams }) => [name, new SlotFeed({ ...parts, chain, upstreams })]),
    );
    this.mostOf = parts.mostOf;
    this.#counts = new KeySubscriptions(parts.mostOf);
  }

  /** Undefined for a network that has no filters. */
  ofFilters(network: string): FilterFeed | undefined {
    return this.#ofFilters.get(network);
  }

  /** How many subscriptions are open with each key. */
  get openByKey(): ReadonlyMap<string, number> {
    return this.#counts.byKey;
  }

  /** For a client that has connected; undefined where its network tells nothing. */
  open(subscriber: Subscriber): ClientSubscriptions | undefined {
    const { name } = subscriber.network;
    const feed = this.#ofFilters.get(name) ?? this.#ofSlots.get(name);
    if (feed === undefined) return undefined;
    return new ClientSubscriptions({ subscriber, feed, counts: this.#counts });
  }
}

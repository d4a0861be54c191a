import type { Identity } from "../access/identity.ts";
import { EvmNetwork } from "../networks/evm/evm-network.ts";
import type { Network } from "../networks/network.ts";
import { ClientSubscriptions } from "./client-subscriptions.ts";
import { ChainFeed, type ChainFeedParts } from "./evm/chain-feed.ts";
import { KeySubscriptions } from "./key-subscriptions.ts";
import type { NetworkFeed, Subscriber } from "./subscription.ts";

/** Bytes of an id: nobody finds that of another. */
const ID_BYTES = 16;

export type NetworkFeedsParts = Omit<ChainFeedParts, "chain" | "upstreams"> & {
  readonly random: (bytes: number) => Buffer;
  readonly mostOf: (identity: Identity) => number;
};

/** What the networks of a gateway tell by themselves, and to whom. */
export class NetworkFeeds {
  readonly #byNetwork: ReadonlyMap<string, NetworkFeed>;
  readonly #counts: KeySubscriptions;
  /** How many subscriptions one key may have open, and how many filters. */
  readonly mostOf: (identity: Identity) => number;
  readonly #newId: () => string;

  constructor(networks: readonly Network[], parts: NetworkFeedsParts) {
    this.#byNetwork = new Map(
      networks
        .filter((network) => network instanceof EvmNetwork)
        .map((network) => [
          network.name,
          new ChainFeed({ ...parts, chain: network.chain, upstreams: network.upstreams }),
        ]),
    );
    this.mostOf = parts.mostOf;
    this.#counts = new KeySubscriptions(parts.mostOf);
    this.#newId = () => `0x${parts.random(ID_BYTES).toString("hex")}`;
  }

  /** Undefined for a network that tells nothing. */
  of(network: string): NetworkFeed | undefined {
    return this.#byNetwork.get(network);
  }

  /** For a client that has connected; undefined where its network tells nothing. */
  open(subscriber: Subscriber): ClientSubscriptions | undefined {
    const feed = this.of(subscriber.network.name);
    if (feed === undefined) return undefined;
    return new ClientSubscriptions({ subscriber, feed, counts: this.#counts, newId: this.#newId });
  }
}

import type { RpcError } from "../jsonrpc/errors.ts";
import { JsonReader } from "../jsonrpc/json-reader.ts";
import { encode, type JsonObject } from "../jsonrpc/value.ts";
import type { Clock, MonotonicMs } from "../lib/clock.ts";
import type { FilterStore, FoundFilter } from "../storage/filter-store.ts";
import type { NetworkFeeds } from "./network-feeds.ts";
import type { Asker, FilterCriteria, FilterFeed, News } from "./subscription.ts";

/** Text of a filter as it is kept: a thousand addresses take two thirds of it. */
const MOST_BYTES = 65_536;
const ID_BYTES = 16;
/** A filter that is asked without news is noted as used so often. */
const NOTED_MS = 60_000;
/** So long a call waits for what is new. */
const WAIT_MS = 5000;
/** Two clients that ask one filter at once share what is new between them. */
const MOST_MOVES = 3;
/** So long what is new for a filter may be unavailable. It is noted as used at least each minute before. */
const PATIENCE_MS = 2 * NOTED_MS;
const NOT_FOUND: RpcError = { name: "filter_not_found" };
const LOST =
  "filter not found: what came after its last block is too far back, or lost by all nodes";
const KINDS: ReadonlySet<string> = new Set(["blocks", "logs", "pending"]);

export type FiltersParts = {
  readonly store: FilterStore;
  readonly feeds: Pick<NetworkFeeds, "ofFilters" | "mostOf">;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly random: (bytes: number) => Buffer;
};

/** Why the logs of this filter are not told to who asks; undefined: they are. */
type MayTell = (filter: JsonObject) => RpcError | undefined;

type Found = FilterCriteria & { readonly row: FoundFilter };

/**
 * Filters are rows of the store: what they are for, and how far their clients were told, so that any
 * gateway of a fleet tells what comes next. Methods reject with a StorageError.
 */
export class Filters {
  readonly #parts: FiltersParts;

  constructor(parts: FiltersParts) {
    this.#parts = parts;
  }

  /** Returns its id. */
  async create(
    { identity, network }: Asker,
    { kind, filter }: FilterCriteria,
  ): Promise<string | RpcError> {
    const { store, feeds, clock, random } = this.#parts;
    const criteria = encode([kind, filter]);
    if (criteria.length > MOST_BYTES) {
      const message = `too large: a filter takes ${MOST_BYTES} bytes at most`;
      return { name: "invalid_params", message };
    }
    const feed = this.#feed(network.name);
    const place = await new Promise<string | RpcError>((done) => feed.begin(kind, done));
    if (typeof place !== "string") return place;
    const id = `0x${random(ID_BYTES).toString("hex")}`;
    const row = { id, keyId: identity.keyId, network: network.name, criteria, place };
    const most = feeds.mostOf(identity);
    if (await store.insert(row, most, clock.now())) return id;
    return {
      name: "invalid_params",
      message: `too many filters: this key has ${most}, which is all that its plan has; remove some`,
    };
  }

  /** What is new since it was asked the last time. */
  async changes(
    asker: Asker,
    id: string,
    { mayTell, deadlineMs }: { readonly mayTell: MayTell; readonly deadlineMs: MonotonicMs },
  ): Promise<News["results"] | RpcError> {
    const { clock } = this.#parts;
    const untilMs = Math.min(clock.monotonic() + WAIT_MS, deadlineMs);
    for (let moves = 0; moves < MOST_MOVES; moves += 1) {
      const found = await this.#find(asker, id);
      if (found === undefined) return NOT_FOUND;
      const { row, ...criteria } = found;
      const refused = criteria.kind === "logs" ? mayTell(criteria.filter) : undefined;
      if (refused !== undefined) return refused;
      const feed = this.#feed(asker.network.name);
      const news = await new Promise<News | RpcError>((done) => {
        feed.poll({ criteria, place: row.place, untilMs }, asker, done);
      });
      if ("name" in news) return this.#failed(row, news);
      if (await this.#move(row, news.place)) return news.results;
    }
    return NOT_FOUND;
  }

  /** What nodes have lost is lost for good: its client makes the filter anew once it is told so. */
  async #failed({ id, keyId, usedAt }: FoundFilter, error: RpcError): Promise<RpcError> {
    const { store, clock } = this.#parts;
    const isLost = error.name === "filter_not_found" || clock.now() - usedAt > PATIENCE_MS;
    if (!isLost) return error;
    await store.remove(id, keyId, clock.now());
    return { name: "filter_not_found", message: LOST };
  }

  /** The filter of logs of this id. */
  async logFilter(asker: Asker, id: string): Promise<JsonObject | RpcError> {
    const found = await this.#find(asker, id);
    return found?.kind === "logs" ? found.filter : NOT_FOUND;
  }

  /** False where there is none. */
  async remove({ identity, network }: Asker, id: string): Promise<boolean> {
    const { store, clock } = this.#parts;
    const found = await this.#find({ identity, network }, id);
    return found !== undefined && store.remove(id, identity.keyId, clock.now());
  }

  async #find({ identity, network }: Asker, id: string): Promise<Found | undefined> {
    const { store, clock } = this.#parts;
    const row = await store.find(id, clock.now());
    if (row?.keyId !== identity.keyId || row.network !== network.name) return undefined;
    const [kind, filter] = new JsonReader(Buffer.from(row.criteria)).value(1) as [
      FilterCriteria["kind"],
      JsonObject,
    ];
    // A newer version may know of others.
    return KINDS.has(kind) ? { kind, filter, row } : undefined;
  }

  async #move({ id, place, usedAt }: FoundFilter, to: string): Promise<boolean> {
    const { store, clock, random } = this.#parts;
    if (place === to && clock.now() - usedAt < NOTED_MS) return true;
    const move = random(ID_BYTES).toString("hex");
    return store.move({ id, from: place, to, move }, clock.now());
  }

  #feed(name: string): FilterFeed {
    const feed = this.#parts.feeds.ofFilters(name);
    if (feed === undefined) throw new Error(`the network ${name} has no filters`);
    return feed;
  }
}

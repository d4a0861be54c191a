import type { Identity } from "../access/identity.ts";
import type { RpcError } from "../jsonrpc/errors.ts";
import type { JsonObject, JsonValue } from "../jsonrpc/value.ts";
import type { Piece } from "../lib/bytes.ts";
import type { MonotonicMs } from "../lib/clock.ts";
import type { Network } from "../networks/network.ts";

/** Why a client's connection has to end. */
export type Ending =
  /** The day's credits of the account, or of the key alone, are used up. */
  | { readonly kind: "credits" | "key-credits" }
  /** What comes next cannot be had, or lies too far back. The client can go on from the cursor, if it knows how. */
  | { readonly kind: "behind"; readonly cursor: string | undefined };

/** A client on whose connection notifications go out. */
export type Subscriber = {
  /** Who pays, as it is now. */
  readonly identity: Identity;
  readonly network: Pick<Network, "name" | "metrics">;
  /** It does not read as fast as it is told: what is not sent now is sent once it has read. */
  readonly isFull: boolean;
  /** Sends one message. */
  send(pieces: readonly Piece[]): void;
  /** Ends the connection. */
  close(ending: Ending): void;
};

/** One subscription of a client. */
export type Subscription = {
  /** JSON text. */
  readonly id: string;
  /** Where its client goes on without a loss; undefined where it was told everything. */
  readonly lateCursor: string | undefined;
  /** The client knows its id: it may be told. */
  begin(): void;
  /** The client has read, and may be told more. */
  advance(): void;
  end(): void;
};

/** Who asks a filter. */
export type Asker = Pick<Subscriber, "identity" | "network">;

/** What is new for a filter. */
export type News = {
  /** JSON texts, in order. */
  readonly results: readonly Piece[];
  /** What comes after that is told the next time. */
  readonly place: string;
};

export type FilterCriteria = {
  readonly kind: "blocks" | "logs" | "pending";
  /** Of logs, as the check of the method's params gave it; else empty. */
  readonly filter: JsonObject;
};

export type PollRequest = {
  readonly criteria: FilterCriteria;
  readonly place: string;
  readonly untilMs: MonotonicMs;
};

export type SubscribeRequest = {
  /** JSON text. */
  readonly id: string;
  readonly method: string;
  /** As the check of the method's params gave them. */
  readonly args: readonly JsonValue[];
  /** Called where it ends by itself, once it has told all. */
  readonly over: () => void;
};

/** What one network tells its subscribers. */
export type NetworkFeed = {
  /** JSON text that no other subscription of this gateway has. */
  newId(): string;
  /** `done` is called once, at once or later: with a subscription that did not begin yet, or why there is none. */
  open(
    request: SubscribeRequest,
    subscriber: Subscriber,
    done: (opened: Subscription | RpcError) => void,
  ): void;
};

/** One that is asked for what it tells, too. */
export type FilterFeed = NetworkFeed & {
  /** Where a filter begins that is made now. `done` is called once. */
  begin(kind: FilterCriteria["kind"], done: (place: string | RpcError) => void): void;
  /** What is new since a place. `done` is called once, within the time. */
  poll(request: PollRequest, asker: Asker, done: (news: News | RpcError) => void): void;
};

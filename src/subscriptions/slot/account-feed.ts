import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { JsonReader } from "../../jsonrpc/json-reader.ts";
import { encode, type JsonObject, type JsonValue } from "../../jsonrpc/value.ts";
import { toBinary } from "../../lib/bytes.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Timer, Timers } from "../../lib/timer-wheel.ts";
import { isHealthy } from "../../networks/tracked-upstream.ts";
import type { Upstream } from "../../upstreams/upstream.ts";
import type { NodeQuestions } from "../node-questions.ts";
import type { PushedSubscription } from "./pushed-subscription.ts";

/** Another node is asked after so long where one has ended a subscription, or none took it. */
const AGAIN_MS = 500;
/** Nobody is told for so long after the node has failed: then its clients have to know. */
const MOST_TRIES = 20;
/** Accounts of one program whose last state is known. */
const KNOWN_ACCOUNTS = 100_000;

export type AccountFeedParts = {
  readonly upstreams: readonly Upstream[];
  readonly nodes: NodeQuestions;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
};

/** Changes of accounts, as a node with `ws` tells of them: once for all who ask alike. */
export class AccountFeed {
  readonly #parts: AccountFeedParts;
  readonly #all = new Map<string, AccountStream>();

  constructor(parts: AccountFeedParts) {
    this.#parts = parts;
  }

  /** Some node tells of them. */
  get isAvailable(): boolean {
    return this.#parts.upstreams.some(({ role, stream }) => role === "primary" && stream);
  }

  /** The upstreams are others now. */
  moveOn(): void {
    for (const stream of this.#all.values()) stream.moveOn();
  }

  /** `method`: `accountSubscribe` or `programSubscribe`. Returns what ends it. */
  follow(method: string, args: readonly JsonValue[], subscription: PushedSubscription): () => void {
    const params = encode([...args]);
    const name = `${method} ${params}`;
    const stream = this.#all.get(name) ?? new AccountStream({ method, params }, this.#parts);
    this.#all.set(name, stream);
    stream.add(subscription);
    return () => {
      if (stream.remove(subscription) === 0) this.#all.delete(name);
    };
  }
}

type StreamOptions = { readonly method: string; readonly params: string };

/** One subscription at a node, and at the next one where that fails. */
class AccountStream {
  readonly #options: StreamOptions;
  readonly #parts: AccountFeedParts;
  readonly #followers = new Set<PushedSubscription>();
  /** What was told last, by account: what another node says is told where it is something else. */
  readonly #known = new LRUCache<string, string>({ max: KNOWN_ACCOUNTS });
  /** Nodes that were asked since one took it. */
  readonly #tried = new Set<Upstream>();
  #stop: (() => void) | undefined;
  #retry: Timer | undefined;
  #tries = 0;
  /** Some node has told of them before: what came since is asked for. */
  #hasBegun = false;

  constructor(options: StreamOptions, parts: AccountFeedParts) {
    this.#options = options;
    this.#parts = parts;
  }

  add(follower: PushedSubscription): void {
    this.#followers.add(follower);
    if (this.#stop === undefined && this.#retry === undefined) this.#begin();
  }

  /** Returns how many are left. */
  remove(follower: PushedSubscription): number {
    this.#followers.delete(follower);
    if (this.#isOver) this.#rest();
    return this.#followers.size;
  }

  #rest(): void {
    this.#stop?.();
    this.#stop = undefined;
    if (this.#retry !== undefined) this.#parts.timers.clear(this.#retry);
    this.#retry = undefined;
  }

  get #isOver(): boolean {
    return this.#followers.size === 0;
  }

  moveOn(): void {
    this.#rest();
    this.#tries = 0;
    this.#tried.clear();
    this.#begin();
  }

  #begin(): void {
    const upstream = this.#next();
    if (upstream === undefined) {
      this.#tryAgain();
      return;
    }
    this.#tried.add(upstream);
    this.#stop = upstream.stream?.subscribe(this.#options, {
      began: () => this.#began(),
      told: (result) => this.#told(result),
      ended: () => {
        this.#stop = undefined;
        if (!this.#isOver) this.#tryAgain();
      },
    });
  }

  /** Each once, the fastest first; then again from the first on. */
  #next(): Upstream | undefined {
    const now = this.#parts.clock.monotonic();
    const able = this.#parts.upstreams.filter(
      (one) => one.role === "primary" && one.stream !== undefined && isHealthy(one),
    );
    const left = able.filter((one) => !this.#tried.has(one));
    if (left.length === 0) this.#tried.clear();
    return (left.length === 0 ? able : left).sort((a, b) => a.cost(now) - b.cost(now))[0];
  }

  #tryAgain(): void {
    this.#tries += 1;
    if (this.#tries > MOST_TRIES) {
      for (const follower of [...this.#followers]) follower.fallBehind();
      return;
    }
    this.#retry = this.#parts.timers.set(AGAIN_MS, () => {
      this.#retry = undefined;
      this.#begin();
    });
  }

  #began(): void {
    this.#tries = 0;
    this.#tried.clear();
    if (this.#hasBegun) this.#askForMissed();
    this.#hasBegun = true;
  }

  /** What changed while no node told of it. */
  #askForMissed(): void {
    const { method, params } = this.#options;
    const isOfProgram = method === "programSubscribe";
    const question = {
      method: isOfProgram ? "getProgramAccounts" : "getAccountInfo",
      params: isOfProgram ? withContext(params) : params,
      block: -1,
    };
    this.#parts.nodes.ask(
      question,
      (json) => statesIn(json, isOfProgram),
      (states) => {
        if (this.#isOver) return;
        if (states === undefined) for (const one of [...this.#followers]) one.fallBehind();
        else for (const state of states) this.#told(state);
      },
    );
  }

  #told(result: string): void {
    const { name, state } = stateOf(result);
    if (this.#known.get(name) === state) return;
    this.#known.set(name, state);
    for (const follower of [...this.#followers]) follower.tell(result);
  }
}

/** The account that a notification is of, and a digest of what it says beside its slot, however it is written. */
function stateOf(result: string): { readonly name: string; readonly state: string } {
  const value = objectIn(result)?.get("value") ?? result;
  const pubkey = value instanceof Map ? value.get("pubkey") : undefined;
  const text = encode(sorted(value));
  const state = createHash("sha1").update(text).digest("base64");
  return { name: typeof pubkey === "string" ? pubkey : "", state };
}

const sorted = (value: JsonValue): JsonValue =>
  value instanceof Map
    ? new Map(
        [...value].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, sorted(each)]),
      )
    : value;

/** The same params, with the slot in the answer. */
function withContext(params: string): string {
  const [address = null, config] = new JsonReader(Buffer.from(params)).value(1) as JsonValue[];
  const given: JsonObject = config instanceof Map ? config : new Map();
  return encode([address, new Map([...given, ["withContext", true]])]);
}

/** The answer to a question as notifications, in UTF-8 bytes; undefined for what is none. */
function statesIn(json: string, isOfProgram: boolean): string[] | undefined {
  const answer = objectIn(json);
  const context = answer?.get("context");
  const slot = context instanceof Map ? context.get("slot") : undefined;
  const value = answer?.get("value");
  if (slot === undefined || value === undefined) return undefined;
  const told = (one: JsonValue): string => {
    // Notifications name the slot alone.
    const members: [string, JsonValue][] = [
      ["context", new Map([["slot", slot]])],
      ["value", one],
    ];
    return toBinary(encode(new Map(members)));
  };
  if (!isOfProgram) return [told(value)];
  return Array.isArray(value) ? value.map(told) : undefined;
}

/** `json`: in UTF-8 bytes. Numbers keep their digits: amounts and epochs are beyond 2^53. */
function objectIn(json: string): JsonObject | undefined {
  try {
    const value = new JsonReader(Buffer.from(json, "latin1")).value(1);
    return value instanceof Map ? value : undefined;
  } catch {
    return undefined;
  }
}

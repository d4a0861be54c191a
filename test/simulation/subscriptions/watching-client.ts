import type { Identity } from "../../../src/access/identity.ts";
import type { JsonValue } from "../../../src/jsonrpc/value.ts";
import type { Piece } from "../../../src/lib/bytes.ts";
import { wholeText } from "../../../src/lib/bytes.ts";
import { readCursor } from "../../../src/methods/cursor.ts";
import type { Ending, Subscriber, Subscription } from "../../../src/subscriptions/subscription.ts";
import type { SeededRandom } from "../seeded-random.ts";
import { ADDRESSES, type SimulatedLog, TOPICS } from "../simulated-logs.ts";
import { hold } from "../violation.ts";

export type WatchedBlock = {
  readonly number: number;
  readonly hash: string;
  readonly parent: WatchedBlock | undefined;
  readonly logs: readonly SimulatedLog[];
};

/** Where what it is told of is looked up. */
export type WatchedChain = { find(hash: string): WatchedBlock | undefined };

type Told = {
  readonly result: {
    readonly hash?: string;
    readonly blockHash?: string;
    readonly logIndex?: string;
    readonly removed?: boolean;
  };
  readonly cursor: string;
};

/** What a client wants to be told of. */
export type Wish =
  | { readonly kind: "newHeads" }
  | {
      readonly kind: "logs";
      readonly address: readonly string[];
      readonly topics: readonly (string | null)[];
    };

export function someWish(random: SeededRandom): Wish {
  if (random.chance(0.4)) return { kind: "newHeads" };
  return {
    kind: "logs",
    address: random.chance(0.4) ? [] : ADDRESSES.slice(0, random.int(1, 2)),
    topics: Array.from({ length: random.int(0, 2) }, () =>
      random.chance(0.5) ? null : random.pick(TOPICS),
    ),
  };
}

type WatchingClientOptions = {
  readonly name: string;
  readonly wish: Wish;
  /** The block that it knows the chain up to. */
  readonly start: WatchedBlock;
  /** It says nothing of where it stands as it subscribes first. */
  readonly isNew: boolean;
  /** The gateways may still take that for a block of no chain: what it knew of that branch is told again then. */
  readonly isAhead: boolean;
};

/** One that subscribes, is cut off, and goes on from its last cursor; it holds what it is told against the chain. */
export class WatchingClient {
  readonly name: string;
  readonly wish: Wish;
  readonly #chain: WatchedChain;
  /** The block that it knows the chain up to. */
  readonly #start: WatchedBlock;
  readonly #isAhead: boolean;
  #isNew: boolean;
  /** Heads: those told, each the child of the one before; logs: those that are not removed. */
  readonly #path: WatchedBlock[] = [];
  #logs: { readonly block: WatchedBlock; readonly index: number }[] = [];
  #cursor: string | undefined;
  subscription: Subscription | undefined;
  isFull = false;
  told = 0;
  say: (text: string) => void = () => undefined;
  onEnded: () => void = () => undefined;
  /** Where the connection was closed on it. */
  ended: Ending | undefined;

  constructor({ name, wish, start, isNew, isAhead }: WatchingClientOptions, chain: WatchedChain) {
    this.#isNew = isNew;
    this.name = name;
    this.wish = wish;
    this.#chain = chain;
    this.#start = start;
    this.#isAhead = isAhead;
    for (let at: WatchedBlock | undefined = start; at !== undefined; at = at.parent) {
      this.#path.unshift(at);
    }
    this.#logs = this.#matching(this.#path);
  }

  #matching(
    blocks: readonly WatchedBlock[],
  ): { readonly block: WatchedBlock; readonly index: number }[] {
    return blocks.flatMap((block) =>
      [...block.logs.keys()]
        .filter((index) => this.#wants(block.logs[index] as SimulatedLog))
        .map((index) => ({ block, index })),
    );
  }

  /** The block up to which it was told, or some of whose logs. */
  get standsOn(): WatchedBlock {
    const cursor = this.#cursor === undefined ? undefined : readCursor(this.#cursor);
    return (cursor && this.#chain.find(cursor.hash)) ?? this.#start;
  }

  /** The params with which it subscribes now. */
  args(): JsonValue[] {
    const last = this.#cursor ?? new Map([["blockHash", this.#start.hash]]);
    const resume: JsonValue[] = this.#isNew ? [] : [new Map([["resume", last]])];
    this.#isNew = false;
    if (this.wish.kind === "newHeads") return ["newHeads", ...resume];
    const { address, topics } = this.wish;
    const filter: JsonValue = new Map<string, JsonValue>([
      ["address", [...address]],
      ["topics", [...topics]],
    ]);
    return ["logs", filter, ...resume];
  }

  /** A connection of its own. */
  connect(network: Subscriber["network"], identity: Identity): Subscriber {
    this.ended = undefined;
    const client = this;
    const isCurrent = () => client.isOn(subscriber);
    const subscriber: Subscriber = {
      ...{ network, identity },
      get isFull() {
        return client.isFull;
      },
      send: (pieces) => {
        if (isCurrent()) client.#receive(pieces);
      },
      close: (ending) => {
        if (!isCurrent()) return;
        client.ended = ending;
        client.onEnded();
      },
    };
    this.#connection = subscriber;
    return subscriber;
  }
  #connection: Subscriber | undefined;

  cut(): void {
    this.#connection = undefined;
    this.subscription?.end();
    this.subscription = undefined;
  }

  isOn(subscriber: Subscriber): boolean {
    return this.#connection === subscriber;
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  #receive(pieces: readonly Piece[]): void {
    const { params } = JSON.parse(wholeText(pieces)) as { readonly params: Told };
    this.told += 1;
    this.#cursor = params.cursor;
    const { result } = params;
    const block = this.#chain.find(result.hash ?? result.blockHash ?? "");
    hold(block !== undefined, () => `${this.name} was told of a block that nobody made`);
    this.say(`${this.name} told ${block.number} ${block.hash.slice(-4)} ${result.removed}`);
    if (this.wish.kind === "newHeads") this.#head(block);
    else this.#log(block, Number(result.logIndex), result.removed === true);
  }

  #head(block: WatchedBlock): void {
    const what = () => `${this.name}: ${block.number} ${block.hash}`;
    const at = this.#path.findIndex(({ hash }) => hash === block.parent?.hash);
    hold(at >= 0, () => `${what()} was told without its parent`);
    const isAgain = this.#path.includes(block) && !this.#isAhead;
    hold(!isAgain, () => `${what()} was told twice`);
    this.#path.length = at + 1;
    this.#path.push(block);
  }

  #log(block: WatchedBlock, index: number, removed: boolean): void {
    const what = () => `${this.name}: log ${index} of ${block.number} ${block.hash}`;
    const log = block.logs[index];
    hold(log !== undefined && this.#wants(log), () => `${what()} was not asked for`);
    const at = this.#logs.findIndex((one) => one.block === block && one.index === index);
    const newest = this.#logs.at(-1)?.block;
    if (removed) {
      hold(at >= 0, () => `${what()} was removed, and had not been told`);
      hold(newest === block, () => `${what()} was removed before those of ${newest?.number}`);
      this.#logs.splice(at, 1);
      return;
    }
    hold(at < 0, () => `${what()} was told twice`);
    const last = this.#logs.at(-1);
    const isNext =
      last === undefined ||
      (last.block === block
        ? last.index < index
        : ancestorOf(block, last.block.number) === last.block);
    hold(isNext, () => `${what()} was told after ${last?.index} of ${last?.block.hash}`);
    this.#logs.push({ block, index });
  }

  #wants({ address, topics }: SimulatedLog): boolean {
    if (this.wish.kind !== "logs") return false;
    const { address: wanted, topics: places } = this.wish;
    if (wanted.length > 0 && !wanted.includes(address)) return false;
    if (places.length > topics.length) return false;
    return places.every((place, at) => place === null || place === topics[at]);
  }

  /** All of the chain up to this block was told, and of that nothing else holds. */
  check(upTo: WatchedBlock): void {
    if (this.wish.kind === "newHeads") {
      const last = this.#path.at(-1);
      const isTold = last !== undefined && ancestorOf(last, upTo.number) === upTo;
      const what = () => `${this.name} was told up to ${last?.number} ${last?.hash}`;
      hold(isTold, () => `${what()}, not ${upTo.number} ${upTo.hash}`);
      return;
    }
    const chain: WatchedBlock[] = [];
    for (let at: WatchedBlock | undefined = upTo; at !== undefined; at = at.parent) {
      chain.unshift(at);
    }
    const name = ({ block, index }: { readonly block: WatchedBlock; readonly index: number }) =>
      `${block.number} ${block.hash} ${index}`;
    const own = this.#logs.filter(({ block }) => block.number <= upTo.number);
    const [told, expected] = [own.map(name), this.#matching(chain).map(name)];
    const missing = () => expected.filter((each) => !told.includes(each));
    const wrong = () => told.filter((each) => !expected.includes(each));
    hold(
      told.join() === expected.join(),
      () => `${this.name} misses ${missing().join(", ")}, and has ${wrong().join(", ")}`,
    );
  }
}

/** The block of this number on the branch that ends with `tip`. */
function ancestorOf(tip: WatchedBlock, number: number): WatchedBlock | undefined {
  let at: WatchedBlock | undefined = tip;
  while (at !== undefined && at.number > number) at = at.parent;
  return at;
}

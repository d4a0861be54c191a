import type { Identity } from "../../../src/access/identity.ts";
import type { JsonValue } from "../../../src/jsonrpc/value.ts";
import type { Piece } from "../../../src/lib/bytes.ts";
import { wholeText } from "../../../src/lib/bytes.ts";
import type { Ending, Subscriber, Subscription } from "../../../src/subscriptions/subscription.ts";
import type { SeededRandom } from "../seeded-random.ts";
import { hold } from "../violation.ts";
import { ADDRESSES, type BlockTree, TOPICS, type TreeBlock, type TreeLog } from "./block-tree.ts";

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
  readonly start: TreeBlock;
  /** It says nothing of where it stands as it subscribes first. */
  readonly isNew: boolean;
  /** The gateways may still take that for a block of no chain: what it knew of that branch is told again then. */
  readonly isAhead: boolean;
};

/** One that subscribes, is cut off, and goes on from its last cursor; it holds what it is told against the chain. */
export class WatchingClient {
  readonly name: string;
  readonly wish: Wish;
  readonly #tree: BlockTree;
  /** The block that it knows the chain up to. */
  readonly #start: TreeBlock;
  readonly #isAhead: boolean;
  #isNew: boolean;
  /** Heads: those told, each the child of the one before; logs: those that are not removed. */
  readonly #path: TreeBlock[] = [];
  #logs: { readonly block: TreeBlock; readonly index: number }[] = [];
  #cursor: string | undefined;
  subscription: Subscription | undefined;
  isFull = false;
  told = 0;
  say: (text: string) => void = () => undefined;
  /** Where the connection was closed on it. */
  ended: Ending | undefined;

  constructor({ name, wish, start, isNew, isAhead }: WatchingClientOptions, tree: BlockTree) {
    this.#isNew = isNew;
    this.name = name;
    this.wish = wish;
    this.#tree = tree;
    this.#start = start;
    this.#isAhead = isAhead;
    for (let at: TreeBlock | undefined = start; at !== undefined; at = at.parent) {
      this.#path.unshift(at);
    }
    this.#logs = this.#matching(this.#path);
  }

  #matching(blocks: readonly TreeBlock[]): { readonly block: TreeBlock; readonly index: number }[] {
    return blocks.flatMap((block) =>
      [...block.logs.keys()]
        .filter((index) => this.#wants(block.logs[index] as TreeLog))
        .map((index) => ({ block, index })),
    );
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
        if (isCurrent()) client.ended = ending;
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
    const block = this.#tree.all.get(result.hash ?? result.blockHash ?? "");
    hold(block !== undefined, () => `${this.name} was told of a block that nobody made`);
    this.say(`${this.name} told ${block.number} ${block.hash.slice(-4)} ${result.removed}`);
    if (this.wish.kind === "newHeads") this.#head(block);
    else this.#log(block, Number(result.logIndex), result.removed === true);
  }

  #head(block: TreeBlock): void {
    const what = () => `${this.name}: ${block.number} ${block.hash}`;
    const at = this.#path.findIndex(({ hash }) => hash === block.parent?.hash);
    hold(at >= 0, () => `${what()} was told without its parent`);
    const isAgain = this.#path.includes(block) && !this.#isAhead;
    hold(!isAgain, () => `${what()} was told twice`);
    this.#path.length = at + 1;
    this.#path.push(block);
  }

  #log(block: TreeBlock, index: number, removed: boolean): void {
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
        : this.#tree.at(last.block.number, block) === last.block);
    hold(isNext, () => `${what()} was told after ${last?.index} of ${last?.block.hash}`);
    this.#logs.push({ block, index });
  }

  #wants({ address, topics }: TreeLog): boolean {
    if (this.wish.kind !== "logs") return false;
    const { address: wanted, topics: places } = this.wish;
    if (wanted.length > 0 && !wanted.includes(address)) return false;
    if (places.length > topics.length) return false;
    return places.every((place, at) => place === null || place === topics[at]);
  }

  /** All that is to be told was told, and nothing else holds. */
  check(): void {
    const { tip } = this.#tree;
    if (this.wish.kind === "newHeads") {
      const last = this.#path.at(-1);
      hold(last === tip, () => `${this.name} was told up to ${last?.number} ${last?.hash}`);
      return;
    }
    const chain: TreeBlock[] = [];
    for (let at: TreeBlock | undefined = tip; at !== undefined; at = at.parent) chain.unshift(at);
    const name = ({ block, index }: { readonly block: TreeBlock; readonly index: number }) =>
      `${block.number} ${block.hash} ${index}`;
    const [told, expected] = [this.#logs.map(name), this.#matching(chain).map(name)];
    const missing = () => expected.filter((each) => !told.includes(each));
    const wrong = () => told.filter((each) => !expected.includes(each));
    hold(
      told.join() === expected.join(),
      () => `${this.name} misses ${missing().join(", ")}, and has ${wrong().join(", ")}`,
    );
  }
}

import type { Identity } from "../../../src/access/identity.ts";
import type { CreditRefusal, CreditWaiter, Reservation } from "../../../src/credits/ledger.ts";
import type { HeadListener } from "../../../src/networks/evm/head-listeners.ts";
import type { Head } from "../../../src/networks/evm/primary-head.ts";
import { EventMeter, type EventMeterParts } from "../../../src/subscriptions/event-meter.ts";
import { ChainFeed } from "../../../src/subscriptions/evm/chain-feed.ts";
import type { Subscriber } from "../../../src/subscriptions/subscription.ts";
import type { UpstreamRequest } from "../../../src/transports/transport.ts";
import type { Upstream } from "../../../src/upstreams/upstream.ts";
import { LargeBuffers } from "../../../src/wire/bytes/large-buffers.ts";
import type { Trace } from "../run-seeds.ts";
import { SeededRandom } from "../seeded-random.ts";
import { hold } from "../violation.ts";
import { VirtualTime } from "../virtual-time.ts";
import { BlockTree, type TreeBlock } from "./block-tree.ts";
import { someWish, WatchingClient } from "./watching-client.ts";

const RUN_MS = 20_000;
/** All that waits for something has it by then: a question to a hung node takes five seconds. */
const SETTLE_MS = 20_000;
/** The chain is followed for a minute after the last client. */
const LINGER_MS = 80_000;

export type FeedTally = Readonly<
  Record<"told" | "resumed" | "reorganisations" | "charged", number>
>;

/** Clients on one chain's feed, whose nodes fail, lag and lose what they had. */
export class FeedSchedule {
  readonly #random: SeededRandom;
  readonly #time = new VirtualTime();
  readonly #tree: BlockTree;
  readonly #trace: Trace;
  readonly #listeners = new Set<HeadListener>();
  readonly #clients: WatchingClient[] = [];
  #feed: ChainFeed;
  #head: Head;
  /** The last head that the gateways knew by its hash. */
  #seen: string;
  #isCalm = false;
  #held = 0;
  #tally = { told: 0, resumed: 0, reorganisations: 0, charged: 0 };
  readonly #network: Subscriber["network"];

  constructor(seed: number, trace: Trace = () => undefined) {
    this.#random = new SeededRandom(seed);
    this.#tree = new BlockTree(this.#random.fork());
    this.#trace = trace;
    this.#head = headOf(this.#tree.tip);
    this.#seen = this.#tree.tip.hash;
    const counter = { inc: () => undefined };
    const metrics = { credits: counter, calls: () => ({ record: () => undefined }) };
    this.#network = { name: "net", metrics } as unknown as Subscriber["network"];
    this.#feed = this.#newFeed();
  }

  async run(): Promise<FeedTally> {
    const random = this.#random;
    for (let atMs = 0; atMs < RUN_MS; atMs += random.int(20, 800)) {
      this.#time.after(atMs, () => this.#act());
    }
    await this.#time.run(this.#time.nowMs + RUN_MS, () => undefined);
    this.#settle();
    await this.#time.run(this.#time.nowMs + SETTLE_MS, () => undefined);
    for (const client of this.#clients) {
      hold(client.ended === undefined, () => `${client.name} was closed: ${client.ended?.kind}`);
      client.check(this.#tree.tip);
      this.#tally.told += client.told;
      client.cut();
    }
    hold(this.#held === 0, () => `${this.#held} reservations were never settled`);
    hold(this.#feed.size === 0, () => `${this.#feed.size} subscriptions are left`);
    await this.#time.run(this.#time.nowMs + LINGER_MS, () => undefined);
    hold(this.#listeners.size === 0, () => "the chain is followed for nobody");
    return this.#tally;
  }

  #say(text: string): void {
    this.#trace(`${Math.round(this.#time.nowMs)} ${text}`);
  }

  #act(): void {
    const random = this.#random;
    const tree = this.#tree;
    const what = random.next();
    if (what < 0.3) tree.grow(random.chance(0.05) ? random.int(4, 120) : random.int(1, 3));
    else if (what < 0.45) {
      const depth = random.int(1, 8);
      this.#tally.reorganisations += 1;
      tree.reorganise(depth, random.int(1, depth + 2));
      this.#say(`reorganised by ${depth}, to ${tree.tip.number} ${tree.tip.hash}`);
    } else if (what < 0.6) this.#subscribe();
    else if (what < 0.75) this.#cut();
    else if (what < 0.9) this.#fill();
    else if (what < 0.93) this.#restart();
    if (random.chance(0.8)) this.#look();
  }

  /** The gateway sees the chain as it is now, or only that there is a block. */
  #look(): void {
    const { tip } = this.#tree;
    const from = this.#head.number;
    this.#head = headOf(tip, !this.#isCalm && this.#random.chance(0.1));
    if (this.#head.hash !== undefined) this.#seen = tip.hash;
    this.#say(`head ${this.#head.number} ${this.#head.hash?.slice(-4)}`);
    for (const listener of this.#listeners) listener({ kind: "advance", from, to: tip.number });
  }

  #subscribe(): void {
    const random = this.#random;
    const { tip } = this.#tree;
    const head = this.#tree.all.get(this.#seen) ?? tip;
    const start = random.chance(0.2) ? tip : head;
    const isNew = start.hash === this.#head.hash && random.chance(0.5);
    const client = new WatchingClient(
      {
        ...{ name: `client ${this.#clients.length + 1}`, wish: someWish(random) },
        ...{ start, isNew, isAhead: this.#tree.at(head.number) !== head },
      },
      this.#tree,
    );
    client.say = (text) => this.#say(text);
    this.#clients.push(client);
    this.#connect(client);
  }

  #connect(client: WatchingClient): void {
    this.#say(`${client.name} connects`);
    const args = client.args();
    const subscriber = client.connect(this.#network, ANYBODY);
    const wasCalm = this.#isCalm;
    this.#feed.open(
      { id: "1", method: "eth_subscribe", args, over: () => undefined },
      subscriber,
      (opened) => {
        if ("name" in opened) {
          hold(!wasCalm, () => `${client.name} cannot resume: ${opened.message}`);
          client.cut();
          if (this.#isCalm) this.#connect(client);
          return;
        }
        if (!client.isOn(subscriber)) return;
        client.subscription = opened;
        opened.begin();
      },
    );
  }

  #cut(): void {
    const client = this.#random.pick([...this.#clients, undefined]);
    if (client === undefined) return;
    if (client.isConnected) client.cut();
    else {
      this.#tally.resumed += 1;
      this.#connect(client);
    }
  }

  #fill(): void {
    const client = this.#random.pick([...this.#clients, undefined]);
    if (client === undefined) return;
    client.isFull = !client.isFull;
    if (!client.isFull) client.subscription?.advance();
  }

  /** Another gateway takes over, which knows nothing. */
  #restart(): void {
    this.#say("restart");
    for (const client of this.#clients) client.cut();
    this.#feed = this.#newFeed();
  }

  #settle(): void {
    this.#isCalm = true;
    this.#look();
    for (const client of this.#clients) {
      client.isFull = false;
      if (client.isConnected) client.subscription?.advance();
      else this.#connect(client);
    }
  }

  #newFeed(): ChainFeed {
    const schedule = this;
    return new ChainFeed({
      buffers: new LargeBuffers(),
      chain: {
        shown: {
          get head() {
            return schedule.#head;
          },
        } as never,
        subscribe: (listener) => {
          this.#listeners.add(listener);
          return () => void this.#listeners.delete(listener);
        },
        ...{ touch: () => undefined, whenHead: () => undefined },
        ...{ newestHashed: -1, hashOf: () => undefined },
      },
      upstreams: [1, 2, 3].map((index) => this.#node(index)),
      clock: this.#time.clock,
      timers: this.#time,
      meter: new EventMeter({ ledger: this.#ledger(), usage: { record: () => undefined } }),
      newId: () => "1",
      later: (run) => this.#time.after(0, run),
    });
  }

  #ledger(): EventMeterParts["ledger"] {
    const random = this.#random;
    const reserve = (): Reservation => {
      this.#held += 1;
      return {} as Reservation;
    };
    return {
      admitEvent: (_identity: unknown, _credits: number, waiter: CreditWaiter) => {
        const what = this.#isCalm ? 0 : random.next();
        if (what < 0.8) return reserve();
        const refusal: CreditRefusal = { kind: random.pick(["throughput", "unavailable"]) };
        if (what < 0.87) return refusal;
        const outcome = () => (random.chance(0.7) ? reserve() : refusal);
        this.#time.after(random.int(1, 2000), () => waiter.admitted(outcome()));
        return "waiting";
      },
      settle: (_reservation: Reservation, served: boolean) => {
        this.#held -= 1;
        if (served) this.#tally.charged += 1;
      },
      draw: () => (this.#isCalm || random.chance(0.9) ? undefined : { kind: "throughput" }),
    };
  }

  #node(index: number): Upstream {
    const random = this.#random.fork();
    let seen = this.#tree.tip;
    const ask = (request: UpstreamRequest, done: (result: string | undefined) => void) => {
      const isGood = this.#isCalm || random.chance(0.7);
      if (isGood || random.chance(0.5)) seen = this.#tree.tip;
      const hangs = !isGood && random.chance(0.2);
      const fails = !isGood && random.chance(0.4);
      const loses = !isGood && random.chance(0.3);
      this.#time.after(hangs ? request.timeoutMs : random.int(1, 60), () => {
        if (hangs || fails) done(undefined);
        else done(this.#answer(request, { seen, loses }));
      });
    };
    const breaker = { state: "closed" };
    const rest = { role: "primary", chain: "right", drained: false, isForked: false, breaker };
    return { ...rest, head: 0, cost: () => index + random.next(), ask } as unknown as Upstream;
  }

  #answer(
    { method, params }: UpstreamRequest,
    { seen, loses }: { readonly seen: TreeBlock; readonly loses: boolean },
  ): string {
    const [asked] = JSON.parse(params);
    if (method === "eth_getBlockByNumber") {
      return (loses ? undefined : this.#tree.at(Number(asked), seen)?.json) ?? "null";
    }
    const block = this.#tree.all.get(method === "eth_getLogs" ? asked.blockHash : asked);
    if (method === "eth_getLogs") return loses ? "[]" : (block?.logsJson ?? "[]");
    return loses ? "null" : (block?.json ?? "null");
  }
}

const ANYBODY = { accountId: "account", keyId: "key" } as Identity;

const headOf = ({ number, hash }: TreeBlock, isUnhashed = false): Head => ({
  number,
  hash: isUnhashed ? undefined : hash,
  gasLimit: 1n,
});

import { inspect } from "node:util";
import type { Identity } from "../../../src/access/identity.ts";
import type { Reservation } from "../../../src/credits/ledger.ts";
import { EventMeter, type EventMeterParts } from "../../../src/subscriptions/event-meter.ts";
import { ChainFeed } from "../../../src/subscriptions/evm/chain-feed.ts";
import type { Subscriber } from "../../../src/subscriptions/subscription.ts";
import { LargeBuffers } from "../../../src/wire/bytes/large-buffers.ts";
import { planFaults } from "../fault-plan.ts";
import type { Trace } from "../run-seeds.ts";
import { SeededRandom } from "../seeded-random.ts";
import { type Block, isOn } from "../simulated-chain.ts";
import { LONGEST_START_MS } from "../simulated-node.ts";
import { hold } from "../violation.ts";
import { makeWorld, randomWorld, type World } from "../world.ts";
import { someWish, WatchingClient } from "./watching-client.ts";

const CLIENTS_MS = 300;
const MOST_CLIENTS = 8;
/**
 * Who waited for blocks that all nodes have forgotten was given up by then, after ten seconds, and so many blocks in
 * which the gateway finds out that its head was a forked node's.
 */
const GIVEN_UP_MS = 12_000;
const FOUND_OUT_BLOCKS = 5;
/** And all that waits for something else has it. */
const SETTLE_MS = 6000;
/** For each block that somebody is told of afterwards: who began at the block of an empty node has hundreds. */
const CATCH_UP_MS = 150;
const FAR_BLOCKS = 100;
/** From the head to its subscribers. */
const ON_THE_WAY_MS = 3000;
/** The chain is followed for a minute after the last client. */
const LINGER_MS = 80_000;

export type GatewayTally = Readonly<
  Record<"told" | "resumed" | "anew" | "faults" | "charged", number>
>;
type Tally = { -readonly [Name in keyof GatewayTally]: number };

const ANYBODY = { accountId: "account", keyId: "key" } as Identity;

/** Subscribers of a whole gateway's network, whose heads come from nodes that fail, fork, lag and lie. */
export class GatewaySchedule {
  readonly #tally: Tally = { told: 0, resumed: 0, anew: 0, faults: 0, charged: 0 };
  readonly #random: SeededRandom;
  readonly #world: World;
  readonly #trace: Trace | undefined;
  readonly #clients: WatchingClient[] = [];
  readonly #feeds: ChainFeed[] = [];
  #feed: ChainFeed;
  /** It goes on until nothing is left of its clients: most of the time of a schedule. */
  readonly #lingers: boolean;
  #isOver = false;
  #isCalm = false;
  #sureMs = Number.POSITIVE_INFINITY;
  #held = 0;

  constructor(seed: number, trace?: Trace) {
    const random = new SeededRandom(seed);
    this.#random = random;
    this.#trace = trace;
    this.#world = makeWorld(random, randomWorld(random));
    this.#feed = this.#newFeed();
    this.#lingers = random.chance(0.05);
  }

  /** @throws Violation */
  async run(): Promise<GatewayTally> {
    const { gateway, chain, nodes } = this.#world;
    const random = this.#random;
    for (const node of nodes) {
      node.onReport = ({ number, hash }) =>
        this.#say(() => `${node.options.name} reports ${number} ${hash}`);
    }
    gateway.network.start();
    const faultsMs = random.between(3000, 20_000);
    const say = (text: () => string) => this.#say(text);
    this.#tally.faults = planFaults({ world: this.#world, random, spanMs: faultsMs, say });
    this.#planClients();
    await this.#run(faultsMs);
    chain.calm();
    await this.#run(LONGEST_START_MS);
    this.#isCalm = true;
    const sureMs = GIVEN_UP_MS + FOUND_OUT_BLOCKS * chain.habits.blockTimeMs;
    this.#sureMs = this.#world.time.nowMs + sureMs;
    await this.#run(sureMs + SETTLE_MS);
    await this.#run(this.#mostBehind() * CATCH_UP_MS);
    const known = this.#knownHead();
    await this.#run(ON_THE_WAY_MS);
    for (const client of this.#clients) {
      hold(client.isConnected, () => `${client.name} is not connected`);
      client.check(known);
    }
    await this.#end();
    return this.#tally;
  }

  async #run(forMs: number): Promise<void> {
    const { time } = this.#world;
    await time.run(time.nowMs + forMs, () => undefined);
  }

  #say(text: () => string): void {
    this.#trace?.(`${this.#world.time.nowMs.toFixed(0)} ${text()}`);
  }

  #planClients(): void {
    const random = this.#random;
    this.#world.time.after(CLIENTS_MS * random.between(0.1, 2), () => {
      if (this.#isOver) return;
      this.#planClients();
      if (this.#isCalm) this.#calmDown();
      else this.#act();
    });
  }

  #act(): void {
    const random = this.#random;
    const what = random.next();
    const client = random.pick([...this.#clients, undefined]);
    if (what < 0.35 && this.#clients.length < MOST_CLIENTS) this.#open();
    else if (what < 0.4) this.#restart();
    else if (client === undefined) return;
    else if (what < 0.6 && client.isConnected) client.cut();
    else if (what < 0.8) {
      client.isFull = !client.isFull;
      if (!client.isFull) client.subscription?.advance();
    } else if (!client.isConnected) {
      this.#tally.resumed += 1;
      this.#connect(client);
    }
  }

  /** Everybody is connected, and reads. */
  #calmDown(): void {
    for (const client of [...this.#clients]) {
      client.isFull = false;
      if (client.isConnected) client.subscription?.advance();
      else this.#connect(client);
    }
  }

  #open(): void {
    const { gateway, chain } = this.#world;
    const { head } = gateway.network.chain.shown;
    const start = head?.hash === undefined ? undefined : chain.find(head.hash);
    if (start === undefined) return;
    const client = new WatchingClient(
      {
        ...{ name: `client ${this.#clients.length + 1}`, wish: someWish(this.#random) },
        ...{ start, isNew: this.#random.chance(0.5), isAhead: false },
      },
      chain,
    );
    client.say = (text) => this.#say(() => text);
    this.#clients.push(client);
    this.#connect(client);
  }

  #connect(client: WatchingClient): void {
    const args = client.args();
    this.#say(() => `${client.name} connects: ${inspect(args.at(-1))}`);
    const network = this.#world.gateway.network as unknown as Subscriber["network"];
    const subscriber = client.connect(network, ANYBODY);
    client.onEnded = () => this.#beginAnew(client);
    this.#feed.open(
      { id: "1", method: "eth_subscribe", args, over: () => undefined },
      subscriber,
      (opened) => {
        if (!client.isOn(subscriber)) {
          if (!("name" in opened)) opened.end();
        } else if ("name" in opened) {
          this.#say(() => `${client.name} cannot go on: ${opened.message}`);
          this.#beginAnew(client);
        } else {
          this.#say(() => `${client.name} goes on`);
          client.subscription = opened;
          opened.begin();
        }
      },
    );
  }

  /** What it knew is on a branch that nobody knows any more, or its block cannot be told: another one takes its place. */
  #beginAnew(client: WatchingClient): void {
    const { chain } = this.#world;
    const { hash } = client.standsOn;
    const isOnChain = isOn(chain.tip, chain.find(hash) as Block);
    const isSure = this.#world.time.nowMs >= this.#sureMs;
    hold(!(isSure && isOnChain), () => `${client.name} cannot go on from ${hash}`);
    this.#say(() => `${client.name} begins anew: ${JSON.stringify(client.ended)}`);
    this.#tally.anew += 1;
    client.cut();
    this.#clients.splice(this.#clients.indexOf(client), 1);
  }

  /** Another gateway takes over, which knows nothing. */
  #restart(): void {
    this.#say(() => "restart");
    for (const client of this.#clients) client.cut();
    this.#feed = this.#newFeed();
  }

  #newFeed(): ChainFeed {
    const { gateway, time } = this.#world;
    const { chain, upstreams } = gateway.network;
    const feed = new ChainFeed({
      buffers: new LargeBuffers(),
      ...{ chain, upstreams, clock: time.clock, timers: time },
      meter: new EventMeter({ ledger: this.#ledger(), usage: { record: () => undefined } }),
      newId: () => "1",
      later: (run) => time.after(0, run),
    });
    this.#feeds.push(feed);
    return feed;
  }

  #ledger(): EventMeterParts["ledger"] {
    return {
      admitEvent: () => {
        this.#held += 1;
        return {} as Reservation;
      },
      settle: (_reservation: Reservation, served: boolean) => {
        this.#held -= 1;
        if (served) this.#tally.charged += 1;
      },
      draw: () => undefined,
    };
  }

  /** Blocks that are missing for whoever was told least. */
  #mostBehind(): number {
    const { tip } = this.#world.chain;
    const behind = this.#clients.map(({ standsOn }) => tip.number - standsOn.number);
    return Math.max(0, ...behind.filter((blocks) => blocks > FAR_BLOCKS));
  }

  #knownHead(): Block {
    const { gateway, chain } = this.#world;
    const { head } = gateway.network.chain;
    const known = head?.hash === undefined ? undefined : chain.find(head.hash);
    hold(known !== undefined, () => "no head is known, though all nodes are well");
    hold(isOn(chain.tip, known), () => `the head ${known.hash} is none of the chain`);
    return known;
  }

  async #end(): Promise<void> {
    const { gateway, time } = this.#world;
    this.#isOver = true;
    for (const client of this.#clients) {
      this.#tally.told += client.told;
      client.cut();
    }
    await this.#run(this.#lingers ? LINGER_MS : 0);
    await gateway.network.stop();
    await this.#run(this.#lingers ? LINGER_MS : 0);
    const left = this.#feeds.reduce((sum, { size }) => sum + size, 0);
    hold(left === 0, () => `${left} subscriptions are left`);
    hold(this.#held === 0, () => `${this.#held} reservations were never settled`);
    hold(time.pendingTimers === 0 || !this.#lingers, () => `${time.pendingTimers} timers are left`);
  }
}

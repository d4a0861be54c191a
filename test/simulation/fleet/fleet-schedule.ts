import type { Identity } from "../../../src/access/authenticator.ts";
import type { PlanConfig } from "../../../src/config/plans.ts";
import type { Call } from "../../../src/gateway/call.ts";
import { dayOf } from "../../../src/lib/day.ts";
import type { Storage } from "../../../src/storage/store.ts";
import type { SimulatedJournal } from "../../credits/simulated-journal.ts";
import type { Asked } from "../asked.ts";
import { wireFault } from "../node-faults.ts";
import { askMessage, type Question, stateQuestion } from "../questions.ts";
import { Repeats } from "../repeats.ts";
import type { Trace } from "../run-seeds.ts";
import { SeededRandom } from "../seeded-random.ts";
import { SimulatedChain } from "../simulated-chain.ts";
import { SimulatedNode } from "../simulated-node.ts";
import { hold, Violation } from "../violation.ts";
import { VirtualTime } from "../virtual-time.ts";
import { Witness } from "../witness.ts";
import { Books } from "./books.ts";
import { type Customer, Customers, type SimulatedKey } from "./customers.ts";
import { FleetGateway, type FleetOptions } from "./fleet-gateway.ts";
import { DATABASE_FAULTS, SimulatedDatabase } from "./simulated-database.ts";

const NEVER = Number.POSITIVE_INFINITY;
const DAY_MS = 86_400_000;
const NO_PARTNER_CALLS = () => Number.POSITIVE_INFINITY;
/** Errors which say that no node was asked. */
const REFUSED = /^(credits_unavailable|payment_required|throughput_exceeded|key_.*)$/;
/** Two seconds after the last call all is at rest; statements take their time. */
const REST_MS = 2500;
/** A statement that hung until a moment ago is asked again after two seconds, and what it took goes back then. */
const REST_AFTER_FAULTS_MS = 3500;
/** For how long clients call. What takes more than ten seconds is seen in a tenth of the schedules, which cost most. */
const CLIENTS_MS = [1500, 1500, 2000, 2000, 2500, 2500, 3000, 3000, 4000, 11_000];
const STEP_MS = 100;
const MOST_STEPS = 40;
/** Of the gateways. */
const REPEATS_SHARE = 0.6;
const FLOOD_CALLS = 50;
/** A call waits two seconds for its credits, as long as these networks give it in all, and is dismissed a moment later. */
const WAITED_MS = 400;

export type FleetTally = {
  calls: number;
  served: number;
  refused: number;
  kills: number;
  databaseFaults: number;
};

/** A gateway with its nodes, those who watch it, and its process that runs now. */
type Place = {
  readonly name: string;
  readonly nodes: readonly SimulatedNode[];
  gateway: FleetGateway;
  witness: Witness;
  isUp: boolean;
};
type Caller = { readonly customer: Customer; readonly key: SimulatedKey };
type Asking = {
  readonly question: Question;
  readonly told?: (call: Call, asked: Asked) => void;
};
type Watched = Caller & { readonly gateway: FleetGateway; toldMs: number };

/** A random fleet on one database and its clients, from a seed. */
export class FleetSchedule {
  readonly tally: FleetTally = { calls: 0, served: 0, refused: 0, kills: 0, databaseFaults: 0 };
  readonly #seed: number;
  readonly #random: SeededRandom;
  readonly #time = new VirtualTime();
  readonly #chain: SimulatedChain;
  readonly #database: SimulatedDatabase;
  readonly #books: Books;
  readonly #options: FleetOptions;
  readonly #places: Place[] = [];
  readonly #gone: FleetGateway[] = [];
  readonly #watched: Watched[] = [];
  readonly #trace: Trace | undefined;
  readonly #nodeMs: number;
  /** Nothing fails: calls of one account do not wait for those of another. */
  readonly #isCalm: boolean;
  #customers: Customers | undefined;
  #journals: SimulatedJournal[] = [];
  #partnerRequests = 0;
  #starts = 0;
  #failed: Violation | undefined;

  /** `storage`: empty of what other seeds have put there. */
  constructor(seed: number, storage: Storage, trace?: Trace) {
    this.#seed = seed;
    this.#trace = trace;
    const random = new SeededRandom(seed);
    this.#random = random;
    const habits = {
      blockTimeMs: random.pick([500, 1000, 2000]),
      jitter: random.pick([0, 0.5]),
      reorgShare: random.pick([0, 0.2, 0.4]),
      deepest: random.pick([1, 3]),
    };
    this.#chain = new SimulatedChain(habits, { time: this.#time, random: random.fork() });
    this.#database = new SimulatedDatabase(storage, this.#time);
    this.#books = new Books(() => this.#time.nowMs);
    this.#options = optionsOf(random);
    this.#nodeMs = random.pick([2, 10, 30]);
    this.#isCalm = random.chance(0.3);
  }

  /** @throws Violation */
  async run(): Promise<FleetTally> {
    const random = this.#random;
    const { plans } = this.#options;
    const name = `s${this.#seed}`;
    const { storage } = this.#database;
    this.#customers = await Customers.make(plans, { storage, random: random.fork(), name });
    for (const { id, keys, plan } of this.#customers.all) {
      this.#books.allow(id, plan.dailyCredits);
      for (const key of keys) {
        if (key.limits.creditsPerDay !== null) this.#books.allow(key.id, key.limits.creditsPerDay);
      }
    }
    const count = random.pick([1, 2, 2, 2, 3]);
    for (let at = 0; at < count; at += 1) this.#openPlace(`g${at}`);
    const clientsMs = random.pick(CLIENTS_MS);
    const untilMs = this.#time.nowMs + clientsMs;
    if (!this.#isCalm) this.#planFaults(clientsMs);
    this.#planOperator(clientsMs);
    for (const place of this.#places) this.#planRepeats(place, untilMs);
    this.#planClients(untilMs, random.pick([40, 80, 160]));
    if (random.chance(0.3)) this.#time.after(random.between(500, clientsMs), () => this.#flood());
    await this.#runUntil(untilMs);
    const isJustWell = untilMs - this.#database.wellSinceMs < REST_MS;
    this.#database.end();
    await this.#runWhile(() => this.#places.some(({ gateway }) => gateway.open > 0));
    const restMs = isJustWell ? REST_AFTER_FAULTS_MS : REST_MS;
    await this.#runUntil(this.#time.nowMs + restMs);
    await this.#checkRest();
    await this.#stop();
    return this.tally;
  }

  #openPlace(name: string): void {
    const random = this.#random;
    const nodes: SimulatedNode[] = [];
    const partners = this.#options.partnerCap > 0 ? 1 : 0;
    for (let at = 0; at < 2 + partners; at += 1) {
      const role = at < 2 ? "primary" : "partner";
      const options = {
        ...({ name: `${role}-${at}`, role, hasSocket: random.chance(0.3) } as const),
        latencyMs: this.#nodeMs * random.between(0.7, 1.3),
        lagMs: random.pick([0, 50, 200]),
        idleMs: random.pick([NEVER, NEVER, 1000]),
        ...{ states: NEVER, lacks: [] },
      };
      const parts = { chain: this.#chain, time: this.#time, random: random.fork() };
      nodes.push(new SimulatedNode(options, parts));
    }
    this.#places.push({ name, nodes, isUp: true, ...this.#start(name, nodes) });
  }

  #start(name: string, nodes: readonly SimulatedNode[]): Pick<Place, "gateway" | "witness"> {
    this.#starts += 1;
    const gateway = new FleetGateway(this.#options, {
      ...{ name: `s${this.#seed}-${name}-${this.#starts}`, nodes, random: this.#random.fork() },
      ...{ time: this.#time, database: this.#database, books: this.#books },
      journals: this.#journals.splice(0),
    });
    const witness = new Witness({
      ...{ time: this.#time, chain: this.#chain, nodes, network: gateway.network },
      ...{ timeoutMs: this.#options.timeoutMs, window: undefined },
      ...{ partnerCap: NEVER, partnerCalls: NO_PARTNER_CALLS },
      say: (text) => this.#say(() => `${name} ${text()}`),
    });
    this.#countPartners(nodes);
    gateway.start();
    return { gateway, witness };
  }

  /** Of all gateways together. */
  #countPartners(nodes: readonly SimulatedNode[]): void {
    for (const node of nodes) {
      const { onRequest } = node;
      node.onRequest = (request) => {
        onRequest(request);
        if (node.options.role === "primary" || request.method === "eth_chainId") return;
        this.#partnerRequests += 1;
        const { partnerCap } = this.#options;
        this.#check(() =>
          hold(this.#partnerRequests <= partnerCap, () => "calls of partners above the cap"),
        );
      };
    }
  }

  #planFaults(spanMs: number): void {
    const random = this.#random;
    for (let left = random.int(0, 3); left > 0; left -= 1) this.#planDatabaseFault(spanMs);
    for (let left = random.int(0, 2); left > 0; left -= 1) this.#planKill(spanMs);
    for (let left = random.int(0, 2); left > 0; left -= 1) this.#planWire(spanMs);
  }

  #planDatabaseFault(spanMs: number): void {
    const random = this.#random;
    const fault = { kind: random.pick(DATABASE_FAULTS), share: random.pick([1, 1, 0.5, 0.2]) };
    const beginMs = random.between(0, spanMs);
    const endMs = beginMs + random.between(50, spanMs / 2);
    this.tally.databaseFaults += 1;
    this.#time.after(beginMs, () => {
      this.#say(() => `the database: ${fault.kind}, ${fault.share}`);
      this.#database.begin(fault);
    });
    this.#time.after(endMs, () => {
      this.#say(() => "the database is well");
      this.#database.end();
    });
  }

  #planKill(spanMs: number): void {
    const random = this.#random;
    const place = random.pick(this.#places);
    const restMs = random.between(10, 800);
    this.#time.after(random.between(0, spanMs), () => {
      if (!place.isUp) return;
      this.#kill(place);
      this.#time.after(restMs, () => {
        this.#say(() => `${place.name} starts`);
        Object.assign(place, this.#start(place.name, place.nodes), { isUp: true });
      });
    });
  }

  #kill(place: Place): void {
    const { gateway } = place;
    this.#say(() => `${place.name} is killed`);
    this.tally.kills += 1;
    place.isUp = false;
    gateway.kill();
    this.#gone.push(gateway);
    const { journals } = gateway;
    this.#books.killed(gateway.book, dayOf(gateway.time.now()), journals.length > 0);
    this.#journals.push(...journals);
  }

  #planWire(spanMs: number): void {
    const random = this.#random;
    const { name, nodes } = random.pick(this.#places);
    const node = random.pick(nodes);
    const fault = wireFault(random);
    const what = `${name} → ${node.options.name} ${fault.kind}`;
    const beginMs = random.between(0, spanMs * 0.8);
    this.#time.after(beginMs, () => {
      if (node.wire !== undefined) return;
      this.#say(() => `${what}, ${fault.share}`);
      node.beginWire(fault);
    });
    this.#time.after(random.between(beginMs, spanMs), () => {
      if (node.wire !== fault) return;
      this.#say(() => `${what} no more`);
      node.endWire();
    });
  }

  /** Keys are revoked, limits lowered and raised. */
  #planOperator(spanMs: number): void {
    const random = this.#random;
    const customers = this.#customers;
    if (customers === undefined) return;
    for (let left = random.int(0, 3); left > 0; left -= 1) {
      const customer = random.pick(customers.all);
      const [, second] = customer.keys;
      const atMs = random.between(0, spanMs);
      const perDay = Math.floor(customer.plan.dailyCredits * random.between(0.3, 1.5));
      const isRevoked = random.chance(0.5);
      this.#time.after(atMs, () => {
        const { nowMs } = this.#time;
        if (isRevoked && second !== undefined) {
          this.#database.operate(() => customers.revoke(second, nowMs));
          return;
        }
        this.#books.allow(customer.id, perDay);
        const limits = { creditsPerDay: perDay, creditsPerSecond: null };
        this.#database.operate(() => customers.limit(customer, limits, nowMs));
      });
    }
  }

  #planClients(untilMs: number, spacingMs: number): void {
    const random = this.#random;
    this.#time.after(spacingMs * random.between(0.1, 1.9), () => {
      if (this.#time.nowMs >= untilMs) return;
      this.#callOnce();
      this.#planClients(untilMs, spacingMs);
    });
  }

  /** Of one gateway: what reorganisations may turn wrong is asked for again around them. */
  #planRepeats(place: Place, untilMs: number): void {
    const random = this.#random.fork();
    if (!random.chance(REPEATS_SHARE)) return;
    const repeats = new Repeats({
      ...{ chain: this.#chain, time: this.#time, random },
      head: () => place.witness.history.number,
      subscribe: (listener) => place.gateway.network.chain.subscribe(listener),
      isOver: () => this.#time.nowMs >= untilMs,
      ask: (question) => {
        if (place.isUp) this.#ask(place, this.#caller(), { question });
      },
    });
    repeats.start();
    for (const node of place.nodes) {
      node.onComing = (tip, inMs) => repeats.coming(node, tip, inMs);
      node.onLeft = (before, tip) => repeats.left(before, tip);
    }
  }

  #callOnce(): void {
    const random = this.#random;
    const place = random.pick(this.#places);
    const caller = this.#caller();
    const { history } = place.witness;
    const knowledge = { chain: this.#chain, head: history.number, shown: [] };
    if (!place.isUp) return;
    if (random.chance(0.03)) this.#watch(place, caller);
    for (const question of askMessage(random, knowledge)) this.#ask(place, caller, { question });
  }

  /** One account asks for more at once than a node has places; another one asks a little. */
  #flood(): void {
    const random = this.#random;
    const place = random.pick(this.#places);
    const [heavy, quiet] = this.#customers?.all ?? [];
    if (heavy === undefined || quiet === undefined || !place.isUp) return;
    const [heavyKey, quietKey] = [heavy.keys[0], quiet.keys[0]];
    if (heavyKey === undefined || quietKey === undefined) return;
    for (let call = 0; call < FLOOD_CALLS; call += 1) {
      const question = stateQuestion("latest", `0x${String(call).padStart(40, "c")}`);
      this.#ask(place, { customer: heavy, key: heavyKey }, { question });
    }
    const { gateway } = place;
    const before = gateway.recorded.get(quiet.id) ?? 0;
    // From when its key was known: a database may take longer for that than nodes for all calls.
    const told = (call: Call, { askedMs }: Asked) => {
      // Others of its own, which clients ask for around a reorganisation, go before it.
      const isQuiet = gateway.begun.get(quiet.id) === before + 1;
      if (!this.#isCalm || !isQuiet || call.error !== undefined || gateway.waited.has(call)) return;
      // Its turn, which is after one call of the other account, and the slowest answer.
      const mostMs = 2 * 3 * this.#nodeMs * 1.3 + 100;
      const tookMs = this.#time.nowMs - askedMs;
      hold(tookMs <= mostMs, () => `a quiet account waited ${tookMs} of ${mostMs} ms`);
    };
    const question = stateQuestion("latest", `0x${"d".repeat(40)}`);
    this.#ask(place, { customer: quiet, key: quietKey }, { question, told });
  }

  #caller(): Caller {
    const customer = this.#random.pick(this.#customers?.all ?? []);
    const key = this.#random.pick(customer.keys);
    return { customer, key };
  }

  #watch(place: Place, caller: Caller): void {
    const { gateway } = place;
    const { moment } = gateway.authenticator;
    const found = gateway.authenticator.known(caller.key.text);
    if (found === undefined || typeof found === "string") return;
    const watched: Watched = { ...caller, gateway, toldMs: NEVER };
    this.#watched.push(watched);
    gateway.authenticator.watch(found, moment, (news) => {
      if (news === "refused") watched.toldMs = Math.min(watched.toldMs, this.#time.nowMs);
    });
  }

  #ask(place: Place, caller: Caller, { question, told = () => {} }: Asking): void {
    const { gateway } = place;
    const answer = gateway.authenticator.authenticate(caller.key.text);
    gateway.open += 1;
    const go = (identity: Identity | "refused" | "unavailable") => {
      // It was killed meanwhile.
      if (gateway.time.isDead) return;
      if (typeof identity === "string") {
        gateway.open -= 1;
        this.#refused(caller, identity);
        return;
      }
      this.#check(() => {
        const { wellSinceMs } = this.#database;
        this.#customers?.check(caller, identity, { nowMs: this.#time.nowMs, wellSinceMs });
      });
      this.#run(place, identity, { question, told });
    };
    if (answer instanceof Promise) void answer.then(go);
    else go(answer);
  }

  #refused({ key }: Caller, why: "refused" | "unavailable"): void {
    this.tally.refused += 1;
    const isRevoked = key.revokedMs < NEVER;
    const isWell = this.tally.databaseFaults === 0;
    this.#check(() => {
      if (why === "refused") hold(isRevoked, () => `${key.id} is refused`);
      else hold(!isWell, () => `nobody knows ${key.id}, though the database is well`);
    });
  }

  #run(place: Place, identity: Identity, { question, told }: Required<Asking>): void {
    const { gateway, witness } = place;
    const plan = this.#options.plans[identity.plan]?.failover === true ? "growth" : "free";
    this.tally.calls += 1;
    const ended = witness.begin({ question, plan, minBlock: undefined }, (asked, call) => {
      gateway.open -= 1;
      this.#judge(place, asked, call);
      told(call, asked);
    });
    this.#check(() => gateway.run(identity, { ...question, minBlock: undefined }, ended));
  }

  #judge({ gateway, witness }: Place, asked: Asked, call: Call): void {
    const { error } = call;
    if (error !== undefined && REFUSED.test(error.name)) {
      this.tally.refused += 1;
      const mayFail = this.tally.databaseFaults > 0;
      const isUnavailable = error.name === "credits_unavailable";
      hold(!isUnavailable || mayFail, () => "no credits, though the database is well");
      return;
    }
    if (error === undefined) this.tally.served += 1;
    // What it waited for credits is missing for the nodes; and in a flood, for a place.
    const hasWaited = gateway.waited.has(call);
    const isBusy = hasWaited || witness.open > this.#options.maxConnections;
    const askedMs = asked.askedMs + (hasWaited ? WAITED_MS : 0);
    witness.judge(isBusy ? { ...asked, askedMs, good: [] } : asked, call);
  }

  #check(checks: () => void): void {
    try {
      checks();
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      this.#failed ??= error;
    }
  }

  #say(text: () => string): void {
    this.#trace?.(`${this.#time.nowMs.toFixed(1)} ${text()}`);
  }

  async #runUntil(untilMs: number): Promise<void> {
    await this.#time.run(untilMs, () => {
      const { settled } = this.#database;
      if (settled === undefined) this.#look();
      return settled?.then(() => this.#look());
    });
  }

  async #runWhile(isGoingOn: () => boolean): Promise<void> {
    for (let step = 0; step < MOST_STEPS && isGoingOn(); step += 1) {
      await this.#runUntil(this.#time.nowMs + STEP_MS);
    }
  }

  #look(): void {
    for (const { witness, isUp } of this.#places) if (isUp) witness.look();
    this.#fail();
  }

  #fail(): void {
    let failed = this.#failed;
    for (const { witness } of this.#places) failed ??= witness.failed;
    if (failed === undefined) return;
    const atMs = this.#time.nowMs.toFixed(1);
    throw new Violation(`at ${atMs} ms: ${failed.message}`, { cause: failed });
  }

  /** Nobody calls any more, and the database has been well for a while. */
  async #checkRest(): Promise<void> {
    const today = dayOf(this.#time.clock.now() + this.#options.aheadMs);
    for (const { id, keys, plan } of this.#customers?.all ?? []) {
      this.#check(() => this.#books.checkThroughput(id, plan.creditsPerSecond));
      const owners = [
        id,
        ...keys.filter(({ limits }) => limits.creditsPerDay !== null).map((key) => key.id),
      ];
      for (const owner of owners) {
        const { used } = await this.#database.storage.ledger.read(owner, today);
        this.#check(() => this.#books.checkUsed(owner, today, used));
      }
    }
    for (const { key, gateway, toldMs } of this.#watched) {
      if (gateway.time.isDead || key.revokedMs === NEVER) continue;
      this.#check(() =>
        hold(toldMs < NEVER, () => `nobody told a holder that ${key.id} was revoked`),
      );
    }
    this.#fail();
  }

  async #stop(): Promise<void> {
    let ended = 0;
    const up = this.#places.filter(({ isUp }) => isUp);
    for (const { gateway } of up) {
      void gateway.stop().then(() => {
        ended += 1;
      });
    }
    // A call that another one overtook is looked at again after twice the time that calls took.
    await this.#runWhile(() => ended < up.length || this.#time.pendingTimers > 0);
    for (const { witness } of up) witness.checkEnded();
    this.#check(() => {
      for (const { name, gateway } of up) {
        hold(gateway.open === 0, () => `${gateway.open} calls of ${name} were never answered`);
      }
      hold(ended === up.length, () => `${up.length - ended} gateways did not stop`);
      hold(this.#time.pendingTimers === 0, () => `${this.#time.pendingTimers} timers are left`);
    });
    await this.#checkUsage();
    this.#fail();
  }

  /** Each call is counted once; those of the last moment before a kill may be missing. */
  async #checkUsage(): Promise<void> {
    const now = this.#time.clock.now() + this.#options.aheadMs;
    for (const { id } of this.#customers?.all ?? []) {
      const rows = await this.#database.storage.usage.query({
        ...{ accountId: id, resolution: "minute" },
        ...{ from: now - DAY_MS, to: now + DAY_MS },
      });
      const counted = rows.reduce((sum, { calls }) => sum + calls, 0);
      const of = (gateways: readonly FleetGateway[]) =>
        gateways.reduce((sum, { recorded }) => sum + (recorded.get(id) ?? 0), 0);
      const sure = of(this.#places.map(({ gateway }) => gateway));
      const most = sure + of(this.#gone);
      this.#check(() => {
        hold(counted <= most, () => `${counted} calls of ${id} are counted, of ${most}`);
        hold(counted >= sure, () => `${counted} calls of ${id} are counted, of ${sure} at least`);
      });
    }
  }
}

function optionsOf(random: SeededRandom): FleetOptions {
  const plan = (failover: boolean): PlanConfig => ({
    dailyCredits: random.pick([3000, 20_000, 200_000]),
    creditsPerSecond: random.pick([500, 3000, 40_000]),
    failover,
  });
  return {
    plans: { free: plan(false), growth: plan(true) },
    keepsJournal: random.chance(0.6),
    maxConnections: random.pick([2, 4, 16]),
    partnerCap: random.pick([0, 0, 0, 3, 30]),
    databaseMs: random.pick([1, 1, 5, 30]),
    aheadMs: DAY_MS / 2,
    timeoutMs: 2000,
    confirmations: 1,
    hedgeShare: random.pick([0, 0.1, 1]),
    window: undefined,
    chainId: undefined,
  };
}

import type { Call } from "../../src/gateway/call.ts";
import type { UpstreamRequest } from "../../src/transports/transport.ts";
import { type Asked, RECOVERY_MS } from "./asked.ts";
import { HeadHistory } from "./head-history.ts";
import { CHAIN_FAULTS, wireFault } from "./node-faults.ts";
import { Oracle } from "./oracle.ts";
import { askMessage, type Question } from "./questions.ts";
import { Repeats } from "./repeats.ts";
import { SeededRandom } from "./seeded-random.ts";
import type { Block } from "./simulated-chain.ts";
import { LONGEST_START_MS, type SimulatedNode } from "./simulated-node.ts";
import { hold, Violation } from "./violation.ts";
import { makeWorld, randomWorld, type World } from "./world.ts";

const SEEN_BLOCK_MS = 1000;
const KEPT_BLOCKS = 32;
/** What the gateway asks for its own sake: clients ask for blocks with all of their transactions. */
const OWN = /^eth_chainId|^eth_getBlockBy.*false\]$/;

/** Of the schedules; they draw from a generator of their own, and the others stay as they were. */
const REPEATS_SHARE = 0.5;
const REPEATS_SALT = 0x5a17;

export type Trace = (line: string) => void;

/** What happened in a schedule, so that it can be seen that things do happen. */
export type Tally = { calls: number; errors: number; partnerCalls: number; faults: number };

/** One random network and its clients, from a seed; every invariant is checked at every step. */
export class Schedule {
  readonly tally: Tally = { calls: 0, errors: 0, partnerCalls: 0, faults: 0 };
  readonly #seed: number;
  readonly #random: SeededRandom;
  readonly #world: World;
  readonly #history: HeadHistory;
  /** Of plans that no partner answers. */
  readonly #shownHistory: HeadHistory;
  readonly #oracle: Oracle;
  readonly #trace: Trace | undefined;
  readonly #shown: Block[] = [];
  /** When a client's call was last sent there. */
  readonly #usedMs = new Map<string, number>();
  readonly #inAir = new Set<Asked>();
  #open = 0;
  #openWithFailover = 0;
  #partnerRequests = 0;
  #highestSeen = -1;
  #hadChainFaults = false;
  #failed: Violation | undefined;
  #clientsUntilMs = 0;

  constructor(seed: number, trace?: Trace) {
    this.#seed = seed;
    this.#trace = trace;
    const random = new SeededRandom(seed);
    this.#random = random;
    this.#world = makeWorld(random, randomWorld(random));
    const { gateway, chain, nodes, options, time } = this.#world;
    const { timeoutMs, window } = options;
    this.#history = new HeadHistory(gateway.network, { chain, time });
    this.#shownHistory = new HeadHistory(gateway.network, { chain, time }, "shown");
    this.#history.say = (text) => this.#say(text);
    for (const node of nodes)
      node.onReport = (tip) =>
        this.#say(() => `${node.options.name} reports ${tip.number} ${tip.hash}`);
    const isGood = (node: SimulatedNode) => this.#isGood(node);
    const histories = { growth: this.#history, free: this.#shownHistory };
    this.#oracle = new Oracle({ chain, histories, nodes, timeoutMs, window, isGood });
    for (const node of nodes) node.onRequest = (request) => this.#requested(node, request);
  }

  /** @throws Violation */
  async run(): Promise<Tally> {
    const { time, gateway, chain } = this.#world;
    const random = this.#random;
    gateway.network.start();
    const faultsMs = random.between(3000, 12_000);
    const calmMs = time.nowMs + faultsMs + LONGEST_START_MS;
    this.#clientsUntilMs = calmMs + RECOVERY_MS;
    this.#planFaults(faultsMs);
    this.#planClient(random.pick([100, 250, 700]));
    this.#planRepeats();
    await this.#runUntil(time.nowMs + faultsMs);
    chain.calm();
    await this.#runUntil(this.#clientsUntilMs);
    this.#checkRecovery(calmMs);
    await this.#runUntil(time.nowMs + this.#world.options.timeoutMs + 100);
    await this.#end();
    this.tally.partnerCalls = gateway.partnerCalls;
    return this.tally;
  }

  async #runUntil(untilMs: number): Promise<void> {
    await this.#world.time.run(untilMs, () => {
      if (this.#failed !== undefined) throw this.#failed;
      this.#check(() => this.#look());
      if (this.#failed !== undefined) throw this.#failed;
      this.#noteJoined();
    });
  }

  /** Whether the gateway knows by now what the heads mean that it was told. */
  #noteJoined(): void {
    for (const node of this.#world.nodes) {
      const report = node.reports.at(-1);
      if (report === undefined || report.isJoined === true) continue;
      const upstream = this.#upstream(node);
      const isFork = upstream.isForked && upstream.forkedAfter < Number.POSITIVE_INFINITY;
      const { chain } = this.#world.gateway.network;
      report.isJoined = isFork || chain.hashOf(report.tip.number) === report.tip.hash;
    }
  }

  #look(): void {
    this.#history.step();
    this.#shownHistory.step();
  }

  #check(checks: () => void): void {
    try {
      checks();
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      const atMs = this.#world.time.nowMs.toFixed(1);
      this.#failed ??= new Violation(`seed ${this.#seed} at ${atMs} ms: ${error.message}`);
    }
  }

  #say(text: () => string): void {
    this.#trace?.(`${this.#world.time.nowMs.toFixed(1)} ${text()}`);
  }

  #planFaults(spanMs: number): void {
    const { nodes, time } = this.#world;
    const random = this.#random;
    this.tally.faults = random.int(0, 6);
    for (let left = this.tally.faults; left > 0; left -= 1) {
      const node = random.pick(nodes);
      const beginMs = random.between(0, spanMs * 0.8);
      const endMs = Math.min(beginMs + random.between(200, 9000), spanMs);
      if (random.chance(0.55)) this.#planWire(node, beginMs, endMs);
      else this.#planChain(node, beginMs, endMs);
    }
    // A node that was restarted at the very end is there again by then.
    time.after(spanMs, () => this.#say(() => "calm"));
  }

  #planWire(node: SimulatedNode, beginMs: number, endMs: number): void {
    const { time } = this.#world;
    const fault = wireFault(this.#random);
    time.after(beginMs, () => {
      if (node.wire !== undefined) return;
      this.#say(() => `${node.options.name} ${fault.kind} ${fault.share}`);
      node.beginWire(fault);
      time.after(endMs - beginMs, () => {
        this.#say(() => `${node.options.name} no longer ${fault.kind}`);
        node.endWire();
      });
    });
  }

  #planChain(node: SimulatedNode, beginMs: number, endMs: number): void {
    const { time, gateway } = this.#world;
    const kind = this.#random.pick(CHAIN_FAULTS);
    const { name } = node.options;
    time.after(beginMs, () => {
      if (node.chainFault !== undefined) return;
      this.#say(() => `${name} ${kind}`);
      node.beginChain(kind);
      if (kind === "drained") gateway.network.setDrained(name, true);
      else this.#hadChainFaults = true;
      time.after(endMs - beginMs, () => {
        this.#say(() => `${name} no longer ${kind}`);
        node.endChain();
        if (kind === "drained") gateway.network.setDrained(name, false);
      });
    });
  }

  /** Calls at random times, so that there are some in every span in which a node recovers. */
  #planClient(spacingMs: number): void {
    const { time } = this.#world;
    const isCalm = time.nowMs > this.#clientsUntilMs - RECOVERY_MS;
    const meanMs = isCalm ? Math.min(spacingMs, 150) : spacingMs;
    time.after(meanMs * this.#random.between(0.1, 1.9), () => {
      if (time.nowMs >= this.#clientsUntilMs) return;
      this.#call();
      this.#planClient(spacingMs);
    });
  }

  #call(): void {
    const { chain } = this.#world;
    const random = this.#random;
    const knowledge = { chain, head: this.#history.number, shown: this.#shown };
    const questions = askMessage(random, knowledge);
    const plan = random.chance(0.5) ? "growth" : "free";
    const minBlock = random.chance(0.15) && this.#highestSeen >= 0 ? this.#highestSeen : undefined;
    this.#send(questions, { plan, minBlock });
  }

  #planRepeats(): void {
    const { chain, time, gateway, nodes } = this.#world;
    const random = new SeededRandom(this.#seed ^ REPEATS_SALT);
    if (!random.chance(REPEATS_SHARE)) return;
    const repeats = new Repeats({
      ...{ chain, time, random },
      head: () => this.#history.number,
      subscribe: (listener) => gateway.network.chain.subscribe(listener),
      isOver: () => time.nowMs >= this.#clientsUntilMs,
      ask: (question) => {
        const plan = random.chance(0.5) ? "growth" : "free";
        this.#send([question], { plan, minBlock: undefined });
      },
    });
    repeats.start();
    for (const node of nodes) {
      node.onComing = (tip, inMs) => repeats.coming(node, tip, inMs);
      node.onLeft = (before, tip) => repeats.left(before, tip);
    }
  }

  #send(
    questions: readonly Question[],
    { plan, minBlock }: Pick<Asked, "plan" | "minBlock">,
  ): void {
    const { gateway } = this.#world;
    const calls = questions.map((question) => ({
      ...question,
      ended: this.#begin({ question, plan, minBlock }),
    }));
    gateway.run({ plan, minBlock, calls });
  }

  /** Returns who is to be told of the call's end. */
  #begin(call: Pick<Asked, "question" | "plan" | "minBlock">): (call: Call) => void {
    const { time, nodes } = this.#world;
    const { question, plan } = call;
    const primaries = nodes.filter(({ options }) => options.role === "primary");
    // The answer may be one that was asked for before: what was wrong then excuses it.
    const shared = [...this.#inAir].filter((one) => one.question.method === question.method);
    const good = primaries.filter(
      (node) =>
        this.#isGood(node) && shared.every((one) => one.good.some((each) => each.node === node)),
    );
    const beganMs = Math.min(time.nowMs, ...shared.map((one) => one.beganMs));
    const asked: Asked = {
      ...{ ...call, askedMs: time.nowMs, beganMs, endedMs: -1 },
      computedMs: Math.min(time.nowMs, Math.max(beganMs, this.#history.reorganisedMs)),
      good: good.map((node) => ({ node, head: this.#upstream(node).head })),
      others: nodes.length - good.length,
    };
    this.#inAir.add(asked);
    this.#open += 1;
    if (plan === "growth") this.#openWithFailover += 1;
    this.tally.calls += 1;
    let ends = 0;
    return (ended) => {
      ends += 1;
      this.#inAir.delete(asked);
      this.#open -= 1;
      if (plan === "growth") this.#openWithFailover -= 1;
      this.#check(() => {
        hold(ends === 1, () => "a call was answered twice");
        this.#look();
        this.#ended(asked, ended);
      });
    };
  }

  #ended(asked: Asked, call: Call): void {
    asked.endedMs = this.#world.time.nowMs;
    const { question } = asked;
    const describe = () => {
      const { method, params } = question;
      const text = (call.result ?? []).map(String).join("");
      const by = call.answer?.kind === "result" ? call.answer.upstream.name : call.answer?.kind;
      const shownParams = JSON.stringify(params, (_, value) =>
        value instanceof Map ? Object.fromEntries(value) : value,
      );
      const said = call.error === undefined ? text : `${call.error.name}: ${call.error.internal}`;
      return `${method} ${shownParams} (${asked.plan}, min ${asked.minBlock}, since ${asked.beganMs.toFixed(1)}, good ${asked.good.map(({ node }) => node.options.name)}) by ${by} for ${call.plan?.tagged}: ${said}`;
    };
    this.#say(describe);
    if (call.error !== undefined) this.tally.errors += 1;
    this.#highestSeen = Math.max(this.#highestSeen, call.plan?.tagged ?? -1);
    try {
      this.#oracle.check(asked, call);
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      throw new Violation(`${error.message}\n  ${describe()}`, { cause: error });
    }
    this.#remember(call);
  }

  #remember({ result, definition }: Call): void {
    if (definition?.lookup === undefined || result === undefined) return;
    const hash = /0xb10c[0-9a-f]{60}/.exec(result.map(String).join(""))?.[0];
    const block = hash === undefined ? undefined : this.#world.chain.find(hash);
    if (block === undefined) return;
    this.#shown.push(block);
    if (this.#shown.length > KEPT_BLOCKS) this.#shown.shift();
  }

  #upstream(node: SimulatedNode) {
    const { upstreams } = this.#world.gateway.network;
    const found = upstreams.find(({ name }) => name === node.options.name);
    if (found === undefined) throw new Error("there is no such upstream");
    return found;
  }

  #isGood(node: SimulatedNode): boolean {
    const upstream = this.#upstream(node);
    return !node.isFaulty && upstream.state === "ready" && !upstream.isForked;
  }

  #requested(node: SimulatedNode, { method, params }: UpstreamRequest): void {
    this.#say(() => `  → ${node.options.name} ${method}`);
    const { options, gateway } = this.#world;
    const isClients = !OWN.test(`${method} ${params}`);
    const isUse = isClients || (options.window !== undefined && method === "eth_getBlockByHash");
    if (isUse) this.#usedMs.set(node.options.name, this.#world.time.nowMs);
    this.#check(() => {
      if (isClients) {
        hold(!this.#upstream(node).drained, () => `${node.options.name} is drained, and was asked`);
      }
      if (node.options.role === "primary" || method === "eth_chainId") return;
      this.#partnerRequests += 1;
      hold(this.#partnerRequests <= options.partnerCap, () => "calls of partners above the cap");
      hold(this.#partnerRequests <= gateway.partnerCalls, () => "a partner's call was not counted");
      const mayAsk = !isClients || this.#openWithFailover > 0;
      hold(mayAsk, () => "a partner was asked for a plan without failover");
    });
  }

  #checkRecovery(calmMs: number): void {
    this.#check(() => {
      for (const node of this.#world.nodes) {
        if (node.options.role === "partner") continue;
        const { state, breaker, chain, isForked } = this.#upstream(node);
        const { name } = node.options;
        // Where blocks are slow, the polls which show which chain a node is on are seldom.
        const { blockTimeMs, reorgShare } = this.#world.chain.habits;
        const forks = isForked || reorgShare > 0 || this.#hadChainFaults;
        const isSeldom = blockTimeMs > SEEN_BLOCK_MS && forks;
        const isWell = breaker.state === "closed" && chain !== "wrong";
        hold(isWell || isSeldom, () => `${name} is still: ${state}`);
        const usedMs = this.#usedMs.get(name) ?? -1;
        // All faults were over then, its own and the others'.
        const overMs = Math.max(calmMs - LONGEST_START_MS, node.faultMs);
        hold(usedMs >= overMs || isSeldom, () => `${name} was not used again: ${usedMs}`);
      }
    });
    if (this.#failed !== undefined) throw this.#failed;
  }

  async #end(): Promise<void> {
    const { gateway, time } = this.#world;
    await gateway.network.stop();
    await this.#runUntil(time.nowMs + 10_000);
    this.#check(() => {
      hold(this.#open === 0, () => `${this.#open} calls were never answered`);
      hold(gateway.settled === this.tally.calls, () => "a call was not settled once");
      for (const { name, inFlight } of gateway.network.upstreams) {
        hold(inFlight === 0, () => `${inFlight} calls of ${name} never ended`);
      }
      hold(time.pendingTimers === 0, () => `${time.pendingTimers} timers are left`);
    });
    if (this.#failed !== undefined) throw this.#failed;
  }
}
